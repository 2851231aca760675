import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { shareConcurrent } from '../../core/share-concurrent.js'
import { isConnectionLost, NoAnswerError } from './postgres-errors.js'

/** How long a statement may take before the server is asked whether it still works on it, in milliseconds. */
const SILENCE_MS = 3000
/** How long the server may take to say so. */
const ASK_TIMEOUT_MS = 5000
/** An answer that was sent before that of the other connection has arrived by then. */
const ON_ITS_WAY_MS = 100

const NO_FREE_SESSION =
  'it accepts connections, but no query; if PgBouncer is in between, its default_pool_size may be too small'

// Those of other users show no state.
const SELECT_WORKING = `
select pid || ' ' || extract(epoch from backend_start) as session from pg_stat_activity
where usename = current_user and state not like 'idle%'`

/** The process of the server that serves a connection, and what `LivenessProbe` calls its session. */
export interface Session {
  pid: number
  session: string
}

export const SELECT_SESSION = `
select pid, pid || ' ' || extract(epoch from backend_start) as session from pg_stat_activity where pid = pg_backend_pid()`

/**
 * Tells a slow statement from a lost connection: behind a broken network, and while a server hangs or was replaced by another one
 * that does not know the connection, no error ever arrives. Whoever waits for long asks the server on another connection.
 */
export class LivenessProbe {
  readonly #working: () => Promise<ReadonlySet<string> | 'unknown'>

  constructor(config: pg.ClientConfig) {
    this.#working = shareConcurrent(() => askForSessions(config))
  }

  /**
   * Waits for an answer as long as the server works on it.
   * @param session of the connection; null if it is not known yet
   * @param maxMs how long to wait although it does
   * @throws NoAnswerError if the connection is lost: do not use it again
   */
  wait<T>(answer: Promise<T>, session: string | null, maxMs = Number.POSITIVE_INFINITY): Promise<T> {
    return new Promise((resolve, reject) => {
      const began = performance.now()
      let hasEnded = false
      const check = async () => {
        const error = await this.#lost(session, performance.now() - began > maxMs)
        if (error) reject(error)
        else if (!hasEnded) timer = setTimeout(check, SILENCE_MS)
      }
      let timer = setTimeout(check, SILENCE_MS)
      const end = () => {
        hasEnded = true
        clearTimeout(timer)
      }
      answer.finally(end).then(resolve, reject)
    })
  }

  /** Why the answer will not arrive; null if it may. */
  async #lost(session: string | null, isTooLong: boolean): Promise<NoAnswerError | null> {
    if (isTooLong) return new NoAnswerError('it takes too long to answer', { isServerGone: false })
    try {
      const working = await this.#working()
      if (working === 'unknown' || (session !== null && working.has(session))) return null
      await wait(ON_ITS_WAY_MS)
      return new NoAnswerError('it answers others, but not on this connection', { isServerGone: false })
    } catch (error) {
      return new NoAnswerError(`it does not answer: ${(error as Error).message}`, { isServerGone: true })
    }
  }
}

/**
 * The sessions that the server works for; unknown if it answers something else, for instance that it has no free connection.
 * @throws if it does not answer
 */
async function askForSessions(config: pg.ClientConfig): Promise<ReadonlySet<string> | 'unknown'> {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: ASK_TIMEOUT_MS, query_timeout: ASK_TIMEOUT_MS })
  client.on('error', () => undefined)
  let isConnected = false
  try {
    await client.connect()
    isConnected = true
    const { rows } = await client.query<{ session: string }>(SELECT_WORKING)
    return new Set(rows.map(({ session }) => session))
  } catch (error) {
    if (isConnected && (error as Error).message === 'Query read timeout') throw new Error(NO_FREE_SESSION)
    if (isConnectionLost(error)) throw error
    return 'unknown'
  } finally {
    void client.end().catch(() => undefined)
  }
}
