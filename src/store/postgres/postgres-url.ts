import { isAbsolute } from 'node:path'
import { UnusableDatabaseError } from '../errors.js'

/** The server of the database, and the schema that contains the tables. */
export interface PostgresLocation {
  /** The URL for the driver, without the parameter `schema`. */
  connectionString: string
  schema: string
  /** The name for messages, without user and password. */
  name: string
}

const DEFAULT_SCHEMA = 'quotekeeper_data'
const FILES = ['sslrootcert', 'sslcert', 'sslkey']
/** The parameters of the URL. Others are refused: the driver would ignore them, or connect to another host. */
const PARAMETERS = ['schema', 'sslmode', ...FILES]
/** Without `prefer` and `allow`, which do not guarantee encryption. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full']

export const isPostgresUrl = (database: string): boolean => /^postgres(ql)?:\/\//.test(database)

/**
 * Reads the URL of a PostgreSQL database: postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME.
 * @throws UnusableDatabaseError, whose message does not repeat what may be part of a password
 */
export function parsePostgresUrl(text: string): PostgresLocation {
  if (/^[^/]*\/\/(?:[^/?#]*@)?[^@/?#]*,[^@/?#]*(?:[/?#]|$)/.test(text)) {
    throw new UnusableDatabaseError(
      'The URL of the database names several hosts. Use one name that leads to the server that can be written, and moves with it ' +
        'at a fail-over, such as that of a load balancer or a virtual address.',
    )
  }
  const url = isPostgresUrl(text) ? parseUrl(text) : null
  if (url === null) {
    throw new UnusableDatabaseError(
      'The URL of the database is not valid. Expected: postgres://USER:PASSWORD@HOST:PORT/DATABASE, with % and other ' +
        'special characters of user and password as %25 and so on.',
    )
  }
  const parameters = url.searchParams
  const keys = [...parameters.keys()]
  const wrong = keys.find((key, at) => !PARAMETERS.includes(key) || keys.indexOf(key) !== at)
  if (wrong !== undefined) {
    const shown = /^\w{1,30}$/.test(wrong) && !url.search.includes('@') ? ` "${wrong}"` : ''
    throw new UnusableDatabaseError(
      `The URL of the database has the parameter${shown} ${PARAMETERS.includes(wrong) ? 'more than once' : 'which is not known'}. ` +
        `Allowed are ${PARAMETERS.join(', ')}, each once; host, port and user belong before the "?".`,
    )
  }
  const schema = parameters.get('schema') ?? DEFAULT_SCHEMA
  if (!/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new UnusableDatabaseError(
      `"${schema}" cannot be the schema of the database. Use lower-case letters, digits and underscores, at most 63; ` +
        'names that begin with pg_ are those of PostgreSQL.',
    )
  }
  parameters.delete('schema')
  setSslMode(parameters)
  const suffix = schema === DEFAULT_SCHEMA ? '' : schema
  return {
    connectionString: url.href,
    schema,
    name: `postgres://${url.host}${url.pathname}${suffix && `?schema=${suffix}`}`,
  }
}

function parseUrl(text: string): URL | null {
  try {
    decodeURIComponent(text)
    return new URL(text)
  } catch {
    return null
  }
}

/** Sets `sslmode` with its meaning for psql. Default if a certificate is given: verify-full. */
function setSslMode(parameters: URLSearchParams): void {
  if (parameters.size === 0) return
  for (const name of FILES) {
    const path = parameters.get(name)
    // A relative path would depend on the working directory of each process.
    if (path !== null && !isAbsolute(path))
      throw new UnusableDatabaseError(
        `${name} of the database is "${path}", which is not an absolute path. Give the whole path of the file, such as /etc/quotekeeper/ca.pem.`,
      )
  }
  const mode = parameters.get('sslmode') ?? 'verify-full'
  if (!SSL_MODES.includes(mode))
    throw new UnusableDatabaseError(
      `"${mode}" cannot be the sslmode of the database. Use one of ${SSL_MODES.join(', ')}.`,
    )
  if (mode === 'verify-ca' && !parameters.get('sslrootcert'))
    throw new UnusableDatabaseError(
      'sslmode=verify-ca of the database needs sslrootcert=PATH, the certificate of the authority. Add it, or use verify-full.',
    )
  parameters.set('sslmode', mode)
  // Otherwise the driver treats weaker modes as verify-full, and prints a warning.
  parameters.set('uselibpqcompat', 'true')
}
