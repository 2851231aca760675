import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { UnusableDatabaseError } from '../errors.js'
import { LivenessProbe, SELECT_SESSION, type Session } from './liveness-probe.js'
import { isConnectionLost, isServerReadOnly, NoAnswerError } from './postgres-errors.js'
import type { PostgresLocation } from './postgres-url.js'

/** How long to wait for a new or a free connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 5000
/** How long a commit may wait, for example for a synchronous replica, in milliseconds. */
const MAX_COMMIT_MS = 60_000
/** Readers reconnect after this time, because they would not notice that the host name leads to another server. */
const MAX_READER_SECONDS = 600

/** What statements rely on, whatever is set for the role, the database or the server. */
const SETTINGS = {
  default_transaction_isolation: 'read committed',
  standard_conforming_strings: 'on',
  // Numbers are read as they were written.
  extra_float_digits: '1',
  TimeZone: 'UTC',
  // So that the server ends sessions of clients that are gone, and statements whose client no longer waits, and nothing else.
  idle_in_transaction_session_timeout: '60s',
  idle_session_timeout: '0',
  transaction_timeout: '0',
  lock_timeout: '30s',
  statement_timeout: '60s',
  tcp_keepalives_idle: '15',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
}

const INT8 = 20
const NUMERIC = 1700

export interface ConnectionOptions {
  /** The maximum number of connections. */
  connections: number
  readOnly: boolean
  application: string
}

/** A connection that was taken from the pool. */
export interface Connection {
  /** @throws NoAnswerError; pg.DatabaseError and other errors of the driver */
  query(statement: string | pg.QueryConfig): Promise<pg.QueryResult>
  /** Returns the connection to the pool, after a rollback if `failure` is given; discards it if it was lost. */
  release(failure?: unknown): Promise<void>
}

interface Prepared {
  session: string
  generation: number
}

/**
 * A pool of connections. When a connection is lost, or its server has become read-only, all connections made before are discarded, because
 * the host name may lead to another server, as after a fail-over.
 */
export class ConnectionPool {
  readonly #pool: pg.Pool
  readonly #liveness: LivenessProbe
  readonly #settings: string
  readonly #readOnly: boolean
  readonly #config: pg.ClientConfig
  readonly #name: string
  readonly #prepared = new WeakMap<pg.PoolClient, Prepared>()
  #generation = 0
  /** The generation of connections that were found not to share sessions, if there is a pooler. */
  #unshared = -1

  constructor(
    { connectionString, schema, name }: PostgresLocation,
    { connections, readOnly, application }: ConnectionOptions,
  ) {
    const config = { connectionString, application_name: application, keepAlive: true }
    this.#config = config
    this.#name = name
    this.#readOnly = readOnly
    this.#liveness = new LivenessProbe(config)
    const settings = {
      ...SETTINGS,
      search_path: `"${schema}"`,
      ...(readOnly && { default_transaction_read_only: 'on' }),
    }
    const values = Object.entries(settings).map(([name, value]) => `('${name}', '${value}')`)
    // A server knows the settings of its version.
    this.#settings = `
      select set_config(name, value, false) from (values ${values.join()}) wanted (name, value) join pg_settings using (name);
      select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local')`
    this.#pool = new pg.Pool({
      ...config,
      max: connections,
      // One connection stays open, so that other processes see that this one uses the database.
      min: readOnly ? 0 : 1,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: 30_000,
      maxLifetimeSeconds: readOnly ? MAX_READER_SECONDS : 0,
      allowExitOnIdle: true,
      types: { getTypeParser: typeParser },
    })
    // An idle connection was lost; the next query opens a new one.
    this.#pool.on('error', () => {})
    // Queries report the errors of busy connections; without a listener, a lost connection would end the process.
    this.#pool.on('connect', (client) => client.on('error', () => {}))
  }

  async take(): Promise<Connection> {
    for (;;) {
      const client = await this.#pool.connect()
      const known = this.#prepared.get(client)
      if (known && known.generation < this.#generation) client.release(true)
      else return this.#connection(client, known ?? (await this.#prepare(client)))
    }
  }

  /** Waits until running queries have ended. */
  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end()
  }

  async #prepare(client: pg.PoolClient): Promise<Prepared> {
    const generation = this.#generation
    try {
      const { rows } = await this.#liveness.wait(client.query<Session>(SELECT_SESSION), null)
      const { session, pid } = rows[0] as Session
      // Before the settings, which a pooler might otherwise apply to other programs.
      if (isPooled(client, pid) && this.#unshared !== generation) await this.#rejectSharedSessions(client, generation)
      await this.#liveness.wait(client.query(this.#settings), session)
      const prepared = { session, generation }
      this.#prepared.set(client, prepared)
      return prepared
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  async #rejectSharedSessions(client: pg.PoolClient, generation: number): Promise<void> {
    const isShared = await this.#liveness.wait(sharesSessions(client, this.#config), null)
    if (isShared === true) throw sharedSessions(this.#name)
    if (isShared === false) this.#unshared = generation
  }

  #connection(client: pg.PoolClient, { session, generation }: Prepared): Connection {
    const query: Connection['query'] = (statement) =>
      this.#liveness.wait(client.query(statement), session, statement === 'commit' ? MAX_COMMIT_MS : undefined)
    return {
      query,
      release: async (failure) => {
        if (failure === undefined) {
          client.release()
          return
        }
        const isOver = isConnectionLost(failure) || (!this.#readOnly && isServerReadOnly(failure))
        if (isOver && generation === this.#generation) this.#generation++
        const isLost = isOver || (await query('rollback').then(undefined, () => true)) === true
        client.release(isLost)
      },
    }
  }
}

/** Whether a query that failed may succeed on another connection. */
export const isWorthAnotherConnection = (error: unknown): boolean =>
  isConnectionLost(error) && !(error instanceof NoAnswerError && error.isServerGone)

const sharedSessions = (name: string) =>
  new UnusableDatabaseError(
    `${name} is behind a pooler that does not keep a session of PostgreSQL for each connection (PgBouncer with pool_mode = ` +
      'transaction or statement), so that settings and locks would be lost or pass to others. Set pool_mode = session for this ' +
      'database in PgBouncer, or name PostgreSQL itself in "database".',
  )

/** Parses bigint and numeric as numbers: identifiers and sums stay far below 2^53. */
function typeParser(type: number, format?: 'text' | 'binary') {
  return type === INT8 || type === NUMERIC ? Number : pg.types.getTypeParser(type, format as 'text')
}

/** The timeout of queries on the second connection, in milliseconds. */
const ANSWER_TIMEOUT_MS = 1000
/** How often to check, because other programs may use the pooler at the same time. */
const ROUNDS = 5
/** A setting that no other program reads. */
const MARK = 'quotekeeper.connection'

/**
 * Whether there is a pooler between this connection and the server: PostgreSQL sends a client the id of its server process, a pooler sends
 * another number.
 * @param pid the result of pg_backend_pid() on this connection
 */
const isPooled = (client: pg.ClientBase, pid: number): boolean =>
  (client as pg.ClientBase & { processID: number | null }).processID !== pid

/**
 * Whether a pooler lets connections share sessions, as PgBouncer does unless its `pool_mode` is `session`. A setting of this connection is
 * then gone in its next transaction, or applies to another connection. Changes nothing else.
 * @param config for a second connection
 * @returns unknown if the second connection did not get an answer in time
 * @throws errors of the driver on this connection
 */
async function sharesSessions(client: pg.ClientBase, config: pg.ClientConfig): Promise<boolean | 'unknown'> {
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
      // If the second connection fails, only a lost setting of the first one can be detected.
      const passedOn = await connected.then(() => isMarked(other)).catch(() => 'unknown' as const)
      if (passedOn === true || !(await isMarked(client))) return true
      if (passedOn === 'unknown') return passedOn
    }
    return false
  } finally {
    void other.end().catch(() => undefined)
  }
}
