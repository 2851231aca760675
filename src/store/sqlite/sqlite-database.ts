import { statSync } from 'node:fs'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Statement } from 'better-sqlite3'
import { storable } from '../../core/documents/identifier.js'
import { StoreError } from '../errors.js'
import {
  type Dialect,
  type SqlDatabase,
  type SqlParameters,
  storableJson,
  type Transaction,
} from '../sql/sql-database.js'
import { toStoreError } from './sqlite-errors.js'
import { connect, openReader, openWriter, retryWhileBusy, type Sqlite } from './sqlite-file.js'

const SQLITE: Dialect = {
  anyOf: (value, parameter) => `${value} in (select value from json_each(${parameter}))`,
  elementsOf: (parameter) => `json_each(${parameter})`,
  // Cross joins fix the join order: without statistics, SQLite might read all versions to find the documents.
  joinOne: (table, alias, condition) => `cross join ${table} ${alias} on ${condition}`,
  leftJoin: (table, alias, condition) => `left join ${table} ${alias} on ${condition}`,
  rfqMember: (name) => `json_extract(body, '$.${name}')`,
  listOf: (value) => `json_group_array(${value})`,
  rowLock: '',
}

/** A SQLite file, with one connection for reading and one for writing. Transactions follow one another, and are on the disk when they end. */
export class SqliteDatabase implements SqlDatabase {
  readonly dialect = SQLITE
  readonly #statement: (sql: string) => Statement
  readonly #writer: Sqlite | null
  readonly #transaction: Transaction
  #writes: Promise<unknown> = Promise.resolve()

  private constructor(
    readonly path: string,
    readonly reader: Sqlite,
    writer: Sqlite | null,
  ) {
    this.#writer = writer
    this.#statement = cachedStatements(reader)
    const statement = cachedStatements(writer ?? reader)
    this.#transaction = {
      dialect: SQLITE,
      all: async <T>(sql: string, parameters?: SqlParameters) => statement(sql).all(toSqlite(parameters)) as T[],
      get: async <T>(sql: string, parameters?: SqlParameters) =>
        statement(sql).get(toSqlite(parameters)) as T | undefined,
      run: async (sql, parameters) => statement(sql).run(toSqlite(parameters)).changes,
      insertAll: (table, columns, rows) =>
        runAll(
          statement(`insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`),
          columns,
          rows,
        ),
      updateAll: (table, key, columns, rows) =>
        runAll(
          statement(
            `update ${table} set ${columns.map((column) => `${column} = ?`).join(', ')}
            where ${key.map((column) => `${column} = ?`).join(' and ')}`,
          ),
          [...columns, ...key],
          rows,
        ),
      lock: async () => {},
    }
  }

  /**
   * Opens a file.
   * @param options.readOnly opens an existing one for reading only
   * @param options.create creates a missing one, which is otherwise an error
   * @throws StoreError, MissingDatabaseError
   */
  static async open(path: string, { readOnly = false, create = true } = {}): Promise<SqliteDatabase> {
    const writer = readOnly ? null : await openWriter(path, create)
    try {
      return new SqliteDatabase(path, await openReader(path), writer)
    } catch (error) {
      writer?.close()
      throw error
    }
  }

  async all<T>(sql: string, parameters?: SqlParameters): Promise<T[]> {
    return this.read(() => this.#statement(sql).all(toSqlite(parameters)) as T[])
  }

  async get<T>(sql: string, parameters?: SqlParameters): Promise<T | undefined> {
    return this.read(() => this.#statement(sql).get(toSqlite(parameters)) as T | undefined)
  }

  /** Runs queries on the reading connection. @throws StoreError */
  read<T>(work: (reader: Sqlite) => T): T {
    try {
      return work(this.reader)
    } catch (error) {
      throw toStoreError(error, this.path)
    }
  }

  /**
   * Runs writes in one transaction, after all earlier ones of this process.
   * @param work may yield to the event loop
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const result = this.#writes.then(() => this.#write(work))
    // Between transactions, the event loop has its turn.
    this.#writes = result.then(yieldToEventLoop, yieldToEventLoop)
    return result
  }

  async #write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const writer = this.#writer
    if (!writer) throw new StoreError(`The database ${this.path} was opened for reading only.`)
    try {
      await retryWhileBusy(() => writer.exec('begin immediate'))
      const result = await work(this.#transaction)
      await retryWhileBusy(() => writer.exec('commit'))
      return result
    } catch (error) {
      throw toStoreError(error, this.path)
    } finally {
      // SQLite rolls back by itself after some errors.
      if (writer.inTransaction) writer.exec('rollback')
    }
  }

  /** Reads rows in one consistent state, on a connection of its own, because an open cursor blocks its connection. */
  async *stream<T>(sql: string, parameters?: SqlParameters): AsyncGenerator<T> {
    const reader = connect(this.path, { readonly: true })
    try {
      let rows = 0
      for (const row of reader.prepare(sql).iterate(toSqlite(parameters))) {
        yield row as T
        if (++rows % ROWS_PER_STEP === 0) await yieldToEventLoop()
      }
    } catch (error) {
      throw toStoreError(error, this.path)
    } finally {
      reader.close()
    }
  }

  /** Sizes of the file and of its write-ahead log, in bytes. */
  async sizes(): Promise<{ database: number; wal: number }> {
    const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
    return { database: size(this.path), wal: size(`${this.path}-wal`) }
  }

  /** Waits for pending transactions, then closes. */
  async close(): Promise<void> {
    await this.#writes
    this.reader.close()
    this.#writer?.close()
  }
}

/** Rows read or written before yielding to the event loop. */
const ROWS_PER_STEP = 500

/** Runs a statement for each row; values bound by position take half the time of named ones. */
async function runAll(statement: Statement, columns: readonly string[], rows: Iterable<object>): Promise<void> {
  let written = 0
  for (const row of rows as Iterable<Record<string, unknown>>) {
    statement.run(columns.map((column) => bound(row[column])))
    if (++written % ROWS_PER_STEP === 0) await yieldToEventLoop()
  }
}

function cachedStatements(db: Sqlite): (sql: string) => Statement {
  const known = new Map<string, Statement>()
  return (sql) => {
    const statement = known.get(sql) ?? db.prepare(sql)
    known.set(sql, statement)
    return statement
  }
}

const toSqlite = (parameters: SqlParameters = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, bound(value)]))

/** The value of a parameter; of a list, JSON, which SQLite reads with json_each. */
function bound(value: unknown): unknown {
  if (typeof value === 'string') return storable(value)
  return Array.isArray(value) ? storableJson(value) : value
}
