import { setTimeout as wait } from 'node:timers/promises'
import { StoreError, UnknownCommitError, UnusableDatabaseError } from '../errors.js'
import type { Dialect, Queries, SqlDatabase, SqlParameters, Transaction } from '../sql/sql-database.js'
import { type Connection, ConnectionPool, isWorthAnotherConnection } from './connections.js'
import { isConflict, isConnectionLost, isServerUnavailable, toPostgresError } from './postgres-errors.js'
import type { PostgresLocation } from './postgres-url.js'

/** How long a write waits for an unavailable server, in milliseconds: about as long as a restart takes. */
const MAX_OUTAGE_MS = 5000
/** How many attempts a transaction has if PostgreSQL cancels it because of conflicts. */
const MAX_CONFLICTS = 10

const joinOne: Dialect['joinOne'] = (table, alias, condition) =>
  `cross join lateral (select * from ${table} ${alias} where ${condition} offset 0) ${alias}`

/** JSON without the escapes of characters that PostgreSQL cannot store: NUL, and half of a surrogate pair. */
const storable = (json: string) =>
  String.raw`case when ${json} ~ '\\u(0000|d[89a-f])' then regexp_replace(${json}, '(\\\\)|\\u(0000|d[89a-f][0-9a-f]{2})', '\1', 'g') else ${json} end`

export const POSTGRES: Dialect = {
  anyOf: (value, parameter) => `${value} = any(${parameter})`,
  elementsOf: (parameter) => `json_array_elements((${storable(`(${parameter})::text`)})::json)`,
  joinOne,
  leftJoin: (table, alias, condition) =>
    `left join lateral (select * from ${table} ${alias} where ${condition} offset 0) ${alias} on true`,
  versionsOfDocuments: (condition) => `versions v ${joinOne('documents', 'e', condition)}`,
  outerRow: 'v',
  listOf: (value) => `coalesce(json_agg(${value}), '[]')::text`,
  shareLock: 'for share',
}

/**
 * A PostgreSQL database. Transactions are read committed; callers take the locks that they need. Only this class retries transactions.
 */
export class PostgresDatabase implements SqlDatabase {
  readonly dialect = POSTGRES
  readonly location: PostgresLocation
  readonly #pool: ConnectionPool
  readonly #readOnly: boolean

  constructor(
    location: PostgresLocation,
    { connections = 10, readOnly = false, application = location.application } = {},
  ) {
    this.location = location
    this.#readOnly = readOnly
    this.#pool = new ConnectionPool(location, { connections, readOnly, application })
  }

  all<T>(sql: string, parameters?: SqlParameters): Promise<T[]> {
    return this.#reading((client) => query<T>(client, sql, parameters))
  }

  async get<T>(sql: string, parameters?: SqlParameters): Promise<T | undefined> {
    return (await this.all<T>(sql, parameters))[0]
  }

  /** Runs queries that all see the same state of the database. */
  snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#reading(async (client) => {
      await client.query('begin isolation level repeatable read, read only')
      const result = await work(queriesOf(client))
      await client.query('commit')
      return result
    })
  }

  /** Reads rows in pages from one snapshot. */
  async *stream<T>(sql: string, parameters: SqlParameters, pageSize: number): AsyncGenerator<T> {
    const client = await this.#pool.take().catch((error) => {
      throw toPostgresError(error, this.location.name)
    })
    let failure: unknown
    try {
      await client.query('begin isolation level repeatable read, read only')
      // The caller may take long to process the rows.
      await client.query('set local idle_in_transaction_session_timeout = 0')
      await query(client, `declare rows no scroll cursor for ${sql}`, parameters)
      for (;;) {
        const rows = await query<T>(client, `fetch ${pageSize} from rows`)
        yield* rows
        if (rows.length < pageSize) break
      }
    } catch (error) {
      failure = error
      throw toPostgresError(error, this.location.name)
    } finally {
      // The caller may have stopped reading, which leaves a transaction open.
      await client.release(failure ?? 'stopped')
    }
  }

  /**
   * Runs writes in one transaction. Retries it after a conflict, and if the server was unavailable before the commit was sent, in which case
   * nothing was stored.
   */
  async write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.#readOnly) throw new UnusableDatabaseError(`${this.location.name} was opened for reading only.`)
    const deadline = performance.now() + MAX_OUTAGE_MS
    for (let conflicts = 0; ; ) {
      const attempt = await this.#attempt(work)
      if ('result' in attempt) return attempt.result
      const { error, committing } = attempt
      if (!committing && isServerUnavailable(error) && performance.now() < deadline)
        await wait(100 + Math.random() * 200)
      else if (isConflict(error) && ++conflicts < MAX_CONFLICTS) await wait(Math.random() * 20 * conflicts)
      else if (committing && isConnectionLost(error)) throw this.#unknownCommit(error)
      else throw toPostgresError(error, this.location.name)
    }
  }

  /** Waits until running queries have ended. */
  async close(): Promise<void> {
    await this.#pool.close()
  }

  async #attempt<T>(
    work: (tx: Transaction) => Promise<T>,
  ): Promise<{ result: T } | { error: unknown; committing: boolean }> {
    let client: Connection | undefined
    let committing = false
    let failure: unknown
    try {
      client = await this.#pool.take()
      await client.query('begin')
      const result = await work(transactionOf(client, this.location.schema))
      committing = true
      // A transaction in which a statement failed is rolled back by its commit.
      if ((await client.query('commit')).command !== 'COMMIT') throw new StoreError('The transaction was rolled back.')
      return { result }
    } catch (error) {
      failure = error
      return { error, committing }
    } finally {
      await client?.release(failure)
    }
  }

  /** Runs queries on a connection, and retries once on another one if it was lost. */
  async #reading<T>(work: (client: Connection) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      let client: Connection | undefined
      let failure: unknown
      try {
        client = await this.#pool.take()
        return await work(client)
      } catch (error) {
        failure = error
        // An idle connection may have been lost before.
        if (attempt > 1 || !client || !isWorthAnotherConnection(error)) throw toPostgresError(error, this.location.name)
      } finally {
        await client?.release(failure)
      }
    }
  }

  #unknownCommit(error: unknown): Error {
    return new UnknownCommitError(
      `The connection to ${this.location.name} was lost during a commit (${(error as Error).message}), so it is not known ` +
        'whether the change was stored. The next run reads what is stored and goes on from there.',
      { cause: error },
    )
  }
}

async function query<T>(client: Connection, sql: string, parameters?: SqlParameters): Promise<T[]> {
  return (await client.query(toPositional(sql, parameters))).rows as T[]
}

const queriesOf = (client: Connection): Queries => ({
  dialect: POSTGRES,
  all: (sql, parameters) => query(client, sql, parameters),
  get: async <T>(sql: string, parameters?: SqlParameters) => (await query<T>(client, sql, parameters))[0],
})

const transactionOf = (client: Connection, schema: string): Transaction => ({
  ...queriesOf(client),
  run: async (sql, parameters) => (await client.query(toPositional(sql, parameters))).rowCount ?? 0,
  async lock(...name) {
    const text = JSON.stringify([schema, ...name])
    await query(client, 'select pg_advisory_xact_lock(hashtextextended(@text, 0))', { text })
  },
})

interface Numbered {
  text: string
  names: readonly string[]
}

const numbered = new Map<string, Numbered>()

/** Replaces named parameters (`@name`) by the numbered ones of PostgreSQL (`$1`), with their values in that order. */
function toPositional(sql: string, parameters: SqlParameters = {}): { text: string; values: unknown[] } {
  let known = numbered.get(sql)
  if (!known) {
    known = number(sql)
    numbered.set(sql, known)
  }
  return {
    text: known.text,
    values: known.names.map((name) => {
      const value = parameters[name]
      if (value === undefined) throw new TypeError(`Missing named parameter "${name}"`)
      return value
    }),
  }
}

function number(sql: string): Numbered {
  const names: string[] = []
  const text = sql.replace(/@([a-zA-Z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return { text, names }
}
