import { StoreError } from '../errors.js'

/** The server of the database, and the schema that contains the tables. */
export interface PostgresLocation {
  /** The URL for the driver, without the parameter `schema`. */
  connectionString: string
  schema: string
  /** The name for messages, without user and password. */
  name: string
}

const DEFAULT_SCHEMA = 'quotekeeper_data'

// A relative path would depend on the working directory of each process.
const FILE = [/^\//, 'an absolute path, such as /etc/quotekeeper/ca.pem'] as const
const NAME = 'lower-case letters, digits and underscores, at most 63, without pg_ at the beginning'

/** The parameters of the URL, with what is expected. Others are refused: the driver would ignore them, or connect to another host. */
const PARAMETERS: Readonly<Record<string, readonly [RegExp, string]>> = {
  schema: [/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/, NAME],
  // Without `prefer` and `allow`, which do not guarantee encryption.
  sslmode: [/^(disable|require|verify-ca|verify-full)$/, 'disable, require, verify-ca or verify-full'],
  ...{ sslrootcert: FILE, sslcert: FILE, sslkey: FILE },
}

export const isPostgresUrl = (database: string): boolean => /^postgres(ql)?:\/\//.test(database)

/**
 * Reads the URL of a PostgreSQL database: postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME.
 * @throws StoreError, whose message does not repeat what may be part of a password
 */
export function parsePostgresUrl(text: string): PostgresLocation {
  const url = isPostgresUrl(text) ? parseUrl(text) : null
  // At a fail-over, one name has to move to the server that can be written.
  if (url === null || url.host.includes(','))
    throw new StoreError(
      'The URL of the database is not valid. Expected: postgres://USER:PASSWORD@HOST:PORT/DATABASE with one host, and with % and ' +
        'other special characters of user and password as %25 and so on.',
    )
  const parameters = url.searchParams
  for (const [name, value] of parameters) {
    const known = PARAMETERS[name]
    if (known === undefined || parameters.getAll(name).length > 1)
      throw new StoreError(
        'The URL of the database has a parameter that is not known, or the same one twice. ' +
          `Allowed are ${Object.keys(PARAMETERS).join(', ')}; host, port and user belong before the "?".`,
      )
    const [allowed, expected] = known
    if (!allowed.test(value)) throw new StoreError(`${name} in the URL of the database must be ${expected}.`)
  }
  const schema = parameters.get('schema') ?? DEFAULT_SCHEMA
  parameters.delete('schema')
  if (parameters.size > 0) {
    if (!parameters.has('sslmode')) parameters.set('sslmode', 'verify-full')
    // As psql understands it. Otherwise the driver treats weaker modes as verify-full, and prints a warning.
    parameters.set('uselibpqcompat', 'true')
  }
  const suffix = schema === DEFAULT_SCHEMA ? '' : `?schema=${schema}`
  return { connectionString: url.href, schema, name: `postgres://${url.host}${url.pathname}${suffix}` }
}

function parseUrl(text: string): URL | null {
  try {
    decodeURIComponent(text)
    return new URL(text)
  } catch {
    return null
  }
}
