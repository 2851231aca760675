import type { Statement } from 'better-sqlite3'
import { TimeSlice } from '../../core/time/time-slice.js'
import type { Dialect, Queries, SqlDatabase, SqlParameters, Transaction } from '../sql/sql-database.js'
import { type Connection, connect } from './connection.js'

const SQLITE: Dialect = {
  anyOf: (value, parameter) => `${value} in (select value from json_each(${parameter}))`,
  elementsOf: (parameter) => `json_each(${parameter})`,
  // Cross joins fix the join order: without statistics, SQLite might read all versions to find the documents.
  joinOne: (table, alias, condition) => `cross join ${table} ${alias} on ${condition}`,
  leftJoin: (table, alias, condition) => `left join ${table} ${alias} on ${condition}`,
  rfqMember: (name) => `json_extract(body, '$.${name}')`,
  listOf: (value) => `json_group_array(${value})`,
  shareLock: '',
}

/** A SQLite connection for modules that are written for both engines. */
export function sqliteDatabase(connection: Connection): SqlDatabase {
  const tx = sqliteTransaction(connection)
  const read = (sql: string) => connection.readStatement(sql)
  return {
    dialect: SQLITE,
    all: async <T>(sql: string, parameters?: SqlParameters) =>
      connection.read(() => read(sql).all(toSqlite(parameters)) as T[]),
    get: async <T>(sql: string, parameters?: SqlParameters) =>
      connection.read(() => read(sql).get(toSqlite(parameters)) as T | undefined),
    write: (work) => connection.write(() => work(tx)),
  }
}

/** Reads rows in one consistent state, on a connection of its own, because an open cursor blocks its connection. */
export const streamRows = (connection: Connection) =>
  async function* <T>(sql: string, parameters: SqlParameters): AsyncGenerator<T> {
    const reader = connect(connection.path)
    const slice = new TimeSlice()
    try {
      for (const row of reader.prepare(sql).iterate(toSqlite(parameters))) {
        yield row as T
        if (slice.isOver) await slice.next()
      }
    } finally {
      reader.close()
    }
  }

/** The writing connection. Use only within `write`. */
export function sqliteTransaction(connection: Connection): Transaction {
  const prepared = (sql: string) => connection.statement(sql)
  return {
    dialect: SQLITE,
    all: async <T>(sql: string, parameters?: SqlParameters) => prepared(sql).all(toSqlite(parameters)) as T[],
    get: async <T>(sql: string, parameters?: SqlParameters) => prepared(sql).get(toSqlite(parameters)) as T | undefined,
    run: async (sql, parameters) => prepared(sql).run(toSqlite(parameters)).changes,
    insertAll: (table, columns, rows) =>
      runAll(
        prepared(`insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`),
        columns,
        rows,
      ),
    updateAll: (table, key, columns, rows) =>
      runAll(
        prepared(
          `update ${table} set ${columns.map((column) => `${column} = ?`).join(', ')}
          where ${key.map((column) => `${column} = ?`).join(' and ')}`,
        ),
        [...columns, ...key],
        rows,
      ),
    lock: async () => {},
  } satisfies Transaction & Queries
}

/** Runs a statement for each row; values bound by position take half the time of named ones. */
async function runAll(statement: Statement, columns: readonly string[], rows: Iterable<object>): Promise<void> {
  const slice = new TimeSlice()
  for (const row of rows as Iterable<Record<string, unknown>>) {
    statement.run(columns.map((column) => row[column]))
    if (slice.isOver) await slice.next()
  }
}

/** Converts lists to JSON, which SQLite reads with json_each. */
export function toSqlite(parameters: SqlParameters = {}): Record<string, unknown> {
  if (!Object.values(parameters).some(Array.isArray)) return parameters
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, Array.isArray(value) ? JSON.stringify(value) : value]),
  )
}
