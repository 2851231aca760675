import type { Dialect, Queries, SqlDatabase, SqlParameters, Transaction } from '../sql/sql-database.js'
import type { Connection } from './connection.js'

const SQLITE: Dialect = {
  anyOf: (value, parameter) => `${value} in (select value from json_each(${parameter}))`,
  elementsOf: (parameter) => `json_each(${parameter})`,
  // Cross joins fix the join order: without statistics, SQLite might read all versions to find the documents.
  joinOne: (table, alias, condition) => `cross join ${table} ${alias} on ${condition}`,
  leftJoin: (table, alias, condition) => `left join ${table} ${alias} on ${condition}`,
  versionsOfDocuments: (condition) => `documents e cross join versions v on ${condition}`,
  outerRow: 'e',
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

/** The writing connection. Use only within `write`. */
export function sqliteTransaction(connection: Connection): Transaction {
  const prepared = (sql: string) => connection.statement(sql)
  return {
    dialect: SQLITE,
    all: async <T>(sql: string, parameters?: SqlParameters) => prepared(sql).all(toSqlite(parameters)) as T[],
    get: async <T>(sql: string, parameters?: SqlParameters) => prepared(sql).get(toSqlite(parameters)) as T | undefined,
    run: async (sql, parameters) => prepared(sql).run(toSqlite(parameters)).changes,
    lock: async () => {},
  } satisfies Transaction & Queries
}

/** Converts lists to JSON, which SQLite reads with json_each. */
export function toSqlite(parameters: SqlParameters = {}): Record<string, unknown> {
  if (!Object.values(parameters).some(Array.isArray)) return parameters
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, Array.isArray(value) ? JSON.stringify(value) : value]),
  )
}
