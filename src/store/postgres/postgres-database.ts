import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { storable } from '../../core/documents/identifier.js'
import { StoreError, UnknownCommitError } from '../errors.js'
import {
  type Dialect,
  type SqlDatabase,
  type SqlParameters,
  storableJson,
  type Transaction,
} from '../sql/sql-database.js'
import { kindOf, toConnectionError, toPostgresError } from './postgres-errors.js'
import type { PostgresLocation } from './postgres-url.js'

/** How long to wait for a new or a free connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 5000
/** After the `statement_timeout` of the server, so that this means that the server does not answer at all. In milliseconds. */
const QUERY_TIMEOUT_MS = 15_000
/** How long a write waits for an unavailable server, in milliseconds: about as long as a restart takes. */
const MAX_OUTAGE_MS = 5000
/** How many attempts a transaction has if PostgreSQL cancels it because of conflicts. */
const MAX_CONFLICTS = 10
/** Readers reconnect after this time, because they would not notice that the host name leads to another server. */
const MAX_READER_SECONDS = 600

/** What statements rely on, whatever is set for the role, the database or the server. */
const SETTINGS = {
  default_transaction_isolation: 'read committed',
  standard_conforming_strings: 'on',
  // Numbers are read as they were written.
  extra_float_digits: '1',
  TimeZone: 'UTC',
  synchronous_commit: 'on',
  // No statement, lock or suspended client is waited for without end.
  statement_timeout: '12s',
  lock_timeout: '10s',
  idle_in_transaction_session_timeout: '15s',
  idle_session_timeout: '0',
  // So that the server ends sessions of clients that are gone.
  tcp_keepalives_idle: '15',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
}

const INT8 = 20
const NUMERIC = 1700

const joinOne: Dialect['joinOne'] = (table, alias, condition) =>
  `cross join lateral (select * from ${table} ${alias} where ${condition} offset 0) ${alias}`

const POSTGRES: Dialect = {
  anyOf: (value, parameter) => `${value} = any(${parameter})`,
  elementsOf: (parameter) => `json_array_elements((${parameter})::json)`,
  joinOne,
  leftJoin: (table, alias, condition) =>
    `left join lateral (select * from ${table} ${alias} where ${condition} offset 0) ${alias} on true`,
  rfqMember: (name) => `(document #>> '{${name}}') collate "C"`,
  rowLock: 'for update',
}

/**
 * A PostgreSQL database. Transactions are read committed; callers take the locks that they need. Only this class retries transactions.
 *
 * A connection with an error that a rollback does not mend is discarded. After one was lost, or its server has become read-only, so are all
 * that were made before, because the host name may lead to another server, as after a fail-over.
 */
export class PostgresDatabase implements SqlDatabase {
  readonly dialect = POSTGRES
  readonly #pool: pg.Pool
  readonly #readOnly: boolean
  readonly #madeAt = new WeakMap<pg.ClientBase, number>()
  /** Connections made before are discarded (`performance.now()`). */
  #validSince = 0

  /** @param options.connections the maximum number of connections */
  constructor(
    readonly location: PostgresLocation,
    { connections = 10, readOnly = false } = {},
  ) {
    this.#readOnly = readOnly
    const settings = {
      ...SETTINGS,
      search_path: location.schema,
      ...(readOnly && { default_transaction_read_only: 'on' }),
    }
    this.#pool = new pg.Pool({
      connectionString: location.connectionString,
      application_name: 'quotekeeper',
      options: startupOptions(settings),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      types: { getTypeParser: typeParser },
      max: connections,
      idleTimeoutMillis: 30_000,
      maxLifetimeSeconds: readOnly ? MAX_READER_SECONDS : 0,
      allowExitOnIdle: true,
    })
    this.#pool.on('connect', (client) => {
      // Queries report the errors of busy connections; without a listener, a lost connection would end the process.
      client.on('error', () => {})
      this.#madeAt.set(client, performance.now())
    })
    // An idle connection was lost; the next query opens a new one.
    this.#pool.on('error', () => {})
  }

  async all<T>(sql: string, parameters?: SqlParameters): Promise<T[]> {
    const read = () => this.#use((client) => query<T>(client, sql, parameters))
    try {
      // Once more if the connection was lost, which may have been before.
      return await read().catch((error) => (kindOf(error) === 'away' ? read() : Promise.reject(error)))
    } catch (error) {
      throw toPostgresError(error, this.location.name)
    }
  }

  async get<T>(sql: string, parameters?: SqlParameters): Promise<T | undefined> {
    return (await this.all<T>(sql, parameters))[0]
  }

  /** Reads rows in pages from one snapshot. */
  async *stream<T>(sql: string, parameters?: SqlParameters, pageSize = 200): AsyncGenerator<T> {
    let client: pg.PoolClient | undefined
    // The caller may stop reading, which leaves a transaction open.
    let failure: unknown = 'stopped'
    try {
      client = await this.#take()
      await client.query('begin isolation level repeatable read, read only')
      // The caller may take long to process the rows.
      await client.query('set local idle_in_transaction_session_timeout = 0')
      await query(client, `declare rows no scroll cursor for ${sql}`, parameters)
      for (;;) {
        const rows = await query<T>(client, `fetch ${pageSize} from rows`)
        yield* rows
        if (rows.length < pageSize) return
      }
    } catch (error) {
      failure = error
      throw toPostgresError(error, this.location.name)
    } finally {
      if (client) await this.#release(client, failure)
    }
  }

  /**
   * Runs writes in one transaction. Retries it after a conflict, and if the server was unavailable before the commit was sent, in which case
   * nothing was stored.
   * @throws UnknownCommitError
   */
  async write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { name, schema } = this.location
    if (this.#readOnly) throw new StoreError(`${name} was opened for reading only.`)
    const deadline = performance.now() + MAX_OUTAGE_MS
    for (let conflicts = 0; ; ) {
      let isCommitting = false
      try {
        return await this.#use(async (client) => {
          await client.query('begin')
          const result = await work(transactionOf(client, schema))
          isCommitting = true
          // A transaction in which a statement failed is rolled back by its commit.
          if ((await client.query('commit')).command !== 'COMMIT')
            throw new StoreError('The transaction was rolled back.')
          return result
        })
      } catch (error) {
        const kind = kindOf(error)
        if (kind === 'away' && isCommitting)
          throw new UnknownCommitError(
            `The connection to ${name} was lost during a commit (${(error as Error).message}), so it is not known ` +
              'whether the change was stored. The next run reads what is stored and goes on from there.',
            { cause: error },
          )
        if (kind === 'away' && performance.now() < deadline) await wait(100 + Math.random() * 200)
        else if (kind === 'conflict' && ++conflicts < MAX_CONFLICTS) await wait(Math.random() * 20 * conflicts)
        else throw toPostgresError(error, name)
      }
    }
  }

  /** Waits until running queries have ended. */
  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end()
  }

  async #use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#take()
    let failure: unknown
    try {
      return await work(client)
    } catch (error) {
      failure = error
      throw error
    } finally {
      await this.#release(client, failure)
    }
  }

  async #take(): Promise<pg.PoolClient> {
    try {
      for (;;) {
        const client = await this.#pool.connect()
        if ((this.#madeAt.get(client) ?? 0) >= this.#validSince) return client
        client.release(true)
      }
    } catch (error) {
      throw toConnectionError(error, this.location.name)
    }
  }

  /** @param failure why a transaction of the connection may be open */
  async #release(client: pg.PoolClient, failure: unknown): Promise<void> {
    if (failure === undefined) return client.release()
    const isAway = kindOf(failure) === 'away'
    if (isAway) this.#validSince = performance.now()
    const rolledBack = isAway ? null : await client.query('rollback').catch(() => null)
    client.release(rolledBack === null)
  }
}

/** Settings that a session has from its start on. A pooler that shares sessions refuses them. */
const startupOptions = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ')

/** Parses bigint and numeric as numbers: identifiers and sums stay far below 2^53. */
function typeParser(type: number, format?: 'text' | 'binary') {
  return type === INT8 || type === NUMERIC ? Number : pg.types.getTypeParser(type, format as 'text')
}

async function query<T>(client: pg.ClientBase, sql: string, parameters?: SqlParameters): Promise<T[]> {
  return (await client.query(toPositional(sql, parameters))).rows as T[]
}

const transactionOf = (client: pg.ClientBase, schema: string): Transaction => ({
  dialect: POSTGRES,
  all: (sql, parameters) => query(client, sql, parameters),
  get: async <T>(sql: string, parameters?: SqlParameters) => (await query<T>(client, sql, parameters))[0],
  run: async (sql, parameters) => (await client.query(toPositional(sql, parameters))).rowCount ?? 0,
  async insertAll(table, columns, rows) {
    const list = columns.join(', ')
    const sql = `insert into ${table} (${list}) select ${list} from json_populate_recordset(null::${table}, @rows)`
    for (const batch of inBatches(rows)) await query(client, sql, { rows: batch })
  },
  async updateAll(table, key, columns, rows) {
    const sql = `update ${table} e set ${columns.map((column) => `${column} = d.${column}`).join(', ')}
      from json_populate_recordset(null::${table}, @rows) d where ${key.map((each) => `e.${each} = d.${each}`).join(' and ')}`
    for (const batch of inBatches(rows)) await query(client, sql, { rows: batch })
  },
  async lock(...name) {
    const text = JSON.stringify([schema, ...name])
    await query(client, 'select pg_advisory_xact_lock(hashtextextended(@text, 0))', { text })
  },
})

/** The approximate maximum length of the rows of a statement, so that many neither fill the memory nor block the process. */
const MAX_CHARACTERS = 2 ** 20

/** Splits rows into JSON lists of a limited length. */
function* inBatches(rows: Iterable<object>): Generator<string> {
  let batch = ''
  for (const row of rows) {
    batch += `${batch && ','}${storableJson(row)}`
    if (batch.length < MAX_CHARACTERS) continue
    yield `[${batch}]`
    batch = ''
  }
  if (batch !== '') yield `[${batch}]`
}

/** Replaces named parameters (`@name`) by the numbered ones of PostgreSQL (`$1`), with their values in that order. */
function toPositional(sql: string, parameters: SqlParameters = {}): { text: string; values: unknown[] } {
  const names = [...new Set(Array.from(sql.matchAll(PARAMETER), ([, name]) => name as string))]
  const values = names.map((name) => {
    const value = parameters[name]
    if (value === undefined) throw new TypeError(`Missing named parameter "${name}"`)
    return Array.isArray(value) ? value.map(bound) : bound(value)
  })
  return { text: sql.replace(PARAMETER, (_, name: string) => `$${names.indexOf(name) + 1}`), values }
}
const bound = (value: unknown) => (typeof value === 'string' ? storable(value) : value)
const PARAMETER = /@([a-zA-Z]\w*)/g
