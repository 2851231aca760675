import { UnusableDatabaseError } from '../errors.js'

/** Where the database is: the server, and the schema that contains the tables. */
export interface PostgresLocation {
  /** For the driver, without the parameter `schema`. */
  connectionString: string
  schema: string
  /** For messages: without user and password. */
  name: string
}

/** The queue may be in the same database, in the schema `quotekeeper`. */
const DEFAULT_SCHEMA = 'quotekeeper_data'

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

export const isPostgresUrl = (database: string): boolean => /^postgres(ql)?:\/\//.test(database)

/**
 * Reads the URL of a PostgreSQL database: postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME.
 * @throws UnusableDatabaseError
 */
export function parsePostgresUrl(text: string): PostgresLocation {
  const url = URL.canParse(text) && isDecodable(text) ? new URL(text) : null
  // The text may contain a password.
  if (!url || !isPostgresUrl(text)) {
    throw new UnusableDatabaseError(
      'The URL of the database is not valid. Expected: postgres://USER:PASSWORD@HOST:PORT/DATABASE, with % and other ' +
        'special characters of user and password as %25 and so on.',
    )
  }
  const schema = url.searchParams.get('schema') ?? DEFAULT_SCHEMA
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new UnusableDatabaseError(
      `"${schema}" cannot be the schema of the database. Use lower-case letters, digits and underscores, at most 63.`,
    )
  }
  url.searchParams.delete('schema')
  const name = `postgres://${url.host}${url.pathname}${schema === DEFAULT_SCHEMA ? '' : `?schema=${schema}`}`
  return { connectionString: url.href, schema, name }
}
