import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Statement } from 'better-sqlite3'
import { storable } from '../../core/documents/identifier.js'
import { StoreError } from '../errors.js'
import { type Dialect, type Queries, type SqlParameters, storableJson, type Transaction } from '../sql/sql-database.js'
import { toStoreError } from './sqlite-errors.js'
import { connect, openFile, retryWhileBusy, type Sqlite } from './sqlite-file.js'

const SQLITE: Dialect = {
  anyOf: (value, parameter) => `${value} in (select value from json_each(${parameter}))`,
  elementsOf: (parameter) => `json_each(${parameter})`,
  // Cross joins fix the join order: without statistics, SQLite might read all versions to find the documents.
  joinOne: (table, alias, condition) => `cross join ${table} ${alias} on ${condition}`,
  leftJoin: (table, alias, condition) => `left join ${table} ${alias} on ${condition}`,
  rfqMember: (name) => `json_extract(body, '$.${name}')`,
  rowLock: '',
}

/**
 * Opens a SQLite file, with one connection for reading and one for writing. Transactions follow one another, and are on the disk when they end.
 * @param options.readOnly opens an existing one for reading only
 * @param options.create creates a missing one, which is otherwise an error
 * @throws StoreError, MissingDatabaseError
 */
export async function openSqlite(path: string, { readOnly = false, create = true } = {}) {
  const writer = readOnly ? null : await openFile(path, { create })
  const reader = await openFile(path, { readOnly: true }).catch((error) => {
    writer?.close()
    throw error
  })
  const { all, get } = queriesOf(cachedStatements(reader))
  const transaction = transactionOf(cachedStatements(writer ?? reader))
  const fail = (error: unknown): never => {
    throw toStoreError(error, path)
  }
  let writes: Promise<unknown> = Promise.resolve()

  const attempt = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    if (!writer) throw new StoreError(`The database ${path} was opened for reading only.`)
    try {
      await retryWhileBusy(() => writer.exec('begin immediate'))
      const result = await work(transaction)
      await retryWhileBusy(() => writer.exec('commit'))
      return result
    } catch (error) {
      return fail(error)
    } finally {
      // SQLite rolls back by itself after some errors.
      if (writer.inTransaction) writer.exec('rollback')
    }
  }

  return {
    reader,
    dialect: SQLITE,
    all: <T>(sql: string, parameters?: SqlParameters) => all<T>(sql, parameters).catch(fail),
    get: <T>(sql: string, parameters?: SqlParameters) => get<T>(sql, parameters).catch(fail),

    /**
     * Runs writes in one transaction, after all earlier ones of this process.
     * @param work may yield to the event loop
     */
    write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      const result = writes.then(() => attempt(work))
      // Between transactions, the event loop has its turn.
      writes = result.then(yieldToEventLoop, yieldToEventLoop)
      return result
    },

    /** Reads rows in one consistent state, on a connection of its own, because an open cursor blocks its connection. */
    async *stream<T>(sql: string, parameters?: SqlParameters): AsyncGenerator<T> {
      const db = connect(path, { readonly: true })
      try {
        let rows = 0
        for (const row of db.prepare(sql).iterate(toSqlite(parameters))) {
          yield row as T
          if (++rows % ROWS_PER_STEP === 0) await yieldToEventLoop()
        }
      } catch (error) {
        fail(error)
      } finally {
        db.close()
      }
    },

    /** Waits for pending transactions, then closes. */
    async close(): Promise<void> {
      await writes
      reader.close()
      writer?.close()
    },
  }
}

/** The statement of an SQL text, on one connection. */
type FindStatement = (sql: string) => Statement

const queriesOf = (statement: FindStatement): Queries => ({
  dialect: SQLITE,
  all: async <T>(sql: string, parameters?: SqlParameters) => statement(sql).all(toSqlite(parameters)) as T[],
  get: async <T>(sql: string, parameters?: SqlParameters) => statement(sql).get(toSqlite(parameters)) as T | undefined,
})

const transactionOf = (statement: FindStatement): Transaction => ({
  ...queriesOf(statement),
  run: async (sql, parameters) => statement(sql).run(toSqlite(parameters)).changes,
  insertAll(table, columns, rows) {
    const values = columns.map(() => '?')
    return runAll(
      statement(`insert into ${table} (${columns.join(', ')}) values (${values.join(', ')})`),
      columns,
      rows,
    )
  },
  updateAll(table, key, columns, rows) {
    const set = columns.map((column) => `${column} = ?`)
    const where = key.map((column) => `${column} = ?`)
    const sql = `update ${table} set ${set.join(', ')} where ${where.join(' and ')}`
    return runAll(statement(sql), [...columns, ...key], rows)
  },
  lock: async () => {},
})

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

function cachedStatements(db: Sqlite): FindStatement {
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
