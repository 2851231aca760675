import { isPostgresUrl, parsePostgresUrl } from './postgres/postgres-url.js'

/** The path of a SQLite database; null for a PostgreSQL database, which is no file of this machine. */
export const databaseFile = (database: string): string | null => (isPostgresUrl(database) ? null : database)

/** What messages call a database: the path of its file, or its URL without user and password. */
export const databaseName = (database: string): string =>
  isPostgresUrl(database) ? parsePostgresUrl(database).name : database
