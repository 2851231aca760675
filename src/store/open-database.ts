import type { Store } from './contract.js'
import type { StoreOptions } from './create-store.js'
import { isPostgresUrl, parsePostgresUrl } from './postgres/postgres-url.js'

interface DatabaseOptions extends StoreOptions {
  /** The path of a SQLite file, or the URL of a PostgreSQL database, which may contain a password. */
  database: string
  /** The maximum number of connections to a PostgreSQL database. */
  connections?: number
}

/**
 * Opens the store in a database of either engine, and loads only the driver of that engine.
 * @throws StoreError with a remedy if the database cannot be used
 */
export async function openDatabase({ database, ...options }: DatabaseOptions): Promise<Store> {
  if (!isPostgresUrl(database)) return (await import('./sqlite/store.js')).openStore({ path: database, ...options })
  return (await import('./postgres/store.js')).openPostgresStore({ url: database, ...options })
}

/**
 * Opens an existing database of either engine for reading only.
 * @throws StoreError
 */
export const openDatabaseReader = (database: string): Promise<Store> =>
  openDatabase({ database, readOnly: true, connections: 2 })

/** The path of a SQLite database; null for a PostgreSQL database. */
export const databaseFile = (database: string): string | null => (isPostgresUrl(database) ? null : database)

/** The name of a database for messages: the path of its file, or its URL without user and password. */
export const databaseName = (database: string): string =>
  isPostgresUrl(database) ? parsePostgresUrl(database).name : database
