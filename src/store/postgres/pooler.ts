import { randomUUID } from 'node:crypto'
import pg from 'pg'

/** How long the second connection may take for each answer, in milliseconds. */
const ANSWER_TIMEOUT_MS = 1000
/** Others may use the pooler at the same time, so that one look is not enough. */
const ROUNDS = 5
/** A setting that nothing reads. */
const MARK = 'quotekeeper.connection'

/**
 * Whether a pooler is between this connection and the server. PostgreSQL tells a client the process that serves it, a pooler a number of
 * its own.
 * @param pid what pg_backend_pid() says on this connection
 */
export const isPooled = (client: pg.ClientBase, pid: number): boolean =>
  (client as pg.ClientBase & { processID: number | null }).processID !== pid

/**
 * Whether a pooler serves connections by sessions that they share, as PgBouncer does unless its `pool_mode` is `session`: a setting of
 * this connection is then gone in its next transaction, or applies to another connection. Nothing else is changed.
 * @param config for a second connection
 * @returns unknown if the second connection did not get an answer in time
 * @throws errors of the driver on this connection
 */
export async function sharesSessions(client: pg.ClientBase, config: pg.ClientConfig): Promise<boolean | 'unknown'> {
  const mark = randomUUID()
  const isMarked = async (each: pg.ClientBase): Promise<boolean> => {
    const { rows } = await each.query<{ mark: string | null }>(`select current_setting('${MARK}', true) as mark`)
    return rows[0]?.mark === mark
  }
  const other = new pg.Client({
    ...config,
    connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
  })
  other.on('error', () => undefined) // Its queries report it too.
  await client.query(`select set_config('${MARK}', '${mark}', false)`)
  try {
    const connected = other.connect()
    for (let round = 0; round < ROUNDS; round++) {
      // Without an answer on the second one, the first one tells only whether its own setting is gone.
      const passedOn = await connected.then(() => isMarked(other)).catch(() => 'unknown' as const)
      if (passedOn === true || !(await isMarked(client))) return true
      if (passedOn === 'unknown') return passedOn
    }
    return false
  } finally {
    void other.end().catch(() => undefined)
  }
}
