import type { Reader, Store } from './contract.js'
import { isPostgresUrl, parsePostgresUrl } from './postgres/postgres-url.js'
import type { StoreOptions } from './sqlite/store.js'

export interface DatabaseOptions extends Omit<StoreOptions, 'path'> {
  /** The path of a SQLite file, or the URL of a PostgreSQL database, which may contain a password. */
  database: string
  /** The maximum number of connections to a PostgreSQL database. */
  connections?: number
}

/**
 * Opens the store in a database of either engine, and loads only the driver of that engine.
 * @throws UnusableDatabaseError with a remedy if the database cannot be used
 */
export async function openDatabase({ database, connections, ...options }: DatabaseOptions): Promise<Store> {
  if (!isPostgresUrl(database)) {
    const { openStore } = await import('./sqlite/store.js')
    return openStore({ path: database, ...options })
  }
  const { openPostgresStore } = await import('./postgres/store.js')
  const { readOnlyIfNeeded: _, onReadOnly: __, ...common } = options
  return openPostgresStore({
    url: database,
    ...common,
    ...(connections !== undefined && { connections }),
  })
}

/**
 * Opens a database of either engine for reading only.
 * @param options.checked skips the check of the schema, because this process has the database open
 * @throws UnusableDatabaseError
 */
export async function openDatabaseReader(database: string, options: { checked?: boolean } = {}): Promise<Reader> {
  if (!isPostgresUrl(database)) return (await import('./sqlite/reader.js')).openReader(database, options)
  return (await import('./postgres/reader.js')).openPostgresReader(database, options)
}

/** The path of a SQLite database; null for a PostgreSQL database. */
export const databaseFile = (database: string): string | null => (isPostgresUrl(database) ? null : database)

/** The name of a database for messages: the path of its file, or its URL without user and password. */
export const databaseName = (database: string): string =>
  isPostgresUrl(database) ? parsePostgresUrl(database).name : database
