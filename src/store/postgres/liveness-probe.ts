import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { shareConcurrent } from '../../core/async.js'
import { isConnectionLost, NoAnswerError } from './postgres-errors.js'

/** How long a statement may take before the server is probed, in milliseconds. */
const PROBE_AFTER_MS = 3000
/** The timeout of a probe, in milliseconds. */
const PROBE_TIMEOUT_MS = 5000
/** How long to wait for an answer that the server sent before that of the probe, in milliseconds. */
const IN_FLIGHT_MS = 100

const NO_FREE_SESSION =
  'it accepts connections, but no query; if PgBouncer is in between, its default_pool_size may be too small'

// The state of sessions of other users is not visible.
const SELECT_ACTIVE = `
select pid || ' ' || extract(epoch from backend_start) as session from pg_stat_activity
where usename = current_user and state not like 'idle%'`

/** The server process of a connection, and the id of its session. */
export interface Session {
  pid: number
  session: string
}

export const SELECT_SESSION = `
select pid, pid || ' ' || extract(epoch from backend_start) as session from pg_stat_activity where pid = pg_backend_pid()`

/**
 * Tells a slow statement from a lost connection. No error arrives if the network is cut, or if the server hangs or was replaced by another
 * one. After a while, this asks the server on another connection whether the session is still active.
 */
export class LivenessProbe {
  readonly #activeSessions: () => Promise<ReadonlySet<string> | 'unknown'>

  constructor(config: pg.ClientConfig) {
    this.#activeSessions = shareConcurrent(() => queryActiveSessions(config))
  }

  /**
   * Waits for an answer as long as the session is active.
   * @param session the session of the connection; null if it is not known yet
   * @param maxMs how long to wait even if the session is active
   * @throws NoAnswerError if the connection is lost and must not be used again
   */
  wait<T>(answer: Promise<T>, session: string | null, maxMs = Number.POSITIVE_INFINITY): Promise<T> {
    return new Promise((resolve, reject) => {
      const began = performance.now()
      let hasEnded = false
      const check = async () => {
        const error = await this.#findLoss(session, performance.now() - began > maxMs)
        if (error) reject(error)
        else if (!hasEnded) timer = setTimeout(check, PROBE_AFTER_MS)
      }
      let timer = setTimeout(check, PROBE_AFTER_MS)
      const end = () => {
        hasEnded = true
        clearTimeout(timer)
      }
      answer.finally(end).then(resolve, reject)
    })
  }

  /** Why the answer will not arrive; null if it may still arrive. */
  async #findLoss(session: string | null, isTooLong: boolean): Promise<NoAnswerError | null> {
    if (isTooLong) return new NoAnswerError('it takes too long to answer', { isServerGone: false })
    try {
      const active = await this.#activeSessions()
      if (active === 'unknown' || (session !== null && active.has(session))) return null
      await wait(IN_FLIGHT_MS)
      return new NoAnswerError('it answers others, but not on this connection', { isServerGone: false })
    } catch (error) {
      return new NoAnswerError(`it does not answer: ${(error as Error).message}`, { isServerGone: true })
    }
  }
}

/**
 * The active sessions of this user.
 * @returns unknown if the server reports an error, for example that it has no free connection
 * @throws if the server does not answer
 */
async function queryActiveSessions(config: pg.ClientConfig): Promise<ReadonlySet<string> | 'unknown'> {
  const client = new pg.Client({
    ...config,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  })
  client.on('error', () => undefined)
  let isConnected = false
  try {
    await client.connect()
    isConnected = true
    const { rows } = await client.query<{ session: string }>(SELECT_ACTIVE)
    return new Set(rows.map(({ session }) => session))
  } catch (error) {
    if (isConnected && (error as Error).message === 'Query read timeout') throw new Error(NO_FREE_SESSION)
    if (isConnectionLost(error)) throw error
    return 'unknown'
  } finally {
    void client.end().catch(() => undefined)
  }
}
