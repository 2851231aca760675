import { isAbsolute } from 'node:path'
import { UnusableDatabaseError } from '../errors.js'

/** Where the database is: the server, and the schema that contains the tables. */
export interface PostgresLocation {
  /** For the driver, without the parameter `schema`. */
  connectionString: string
  schema: string
  /** What the sessions of Quotekeeper are called on the server, so that others on this schema can be found. */
  application: string
  /** For messages: without user and password. */
  name: string
}

const DEFAULT_SCHEMA = 'quotekeeper_data'

/** Parameters of the URL. Others are mistakes: the driver would ignore them, or connect to another host. */
const PARAMETERS = ['schema', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']
/** Not `prefer` and `allow`, which may not encrypt at all. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full']

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
  const authority = /^[^/]*\/\/([^/?#]*)/.exec(text)?.[1] ?? ''
  if (authority.slice(authority.lastIndexOf('@')).includes(',')) {
    throw new UnusableDatabaseError(
      'The URL of the database names several hosts. Use one name that leads to the server that can be written, and moves with it ' +
        'at a fail-over, such as that of a load balancer or a virtual address.',
    )
  }
  const url = URL.canParse(text) && isDecodable(text) ? new URL(text) : null
  // The text may contain a password.
  if (!url || !isPostgresUrl(text)) {
    throw new UnusableDatabaseError(
      'The URL of the database is not valid. Expected: postgres://USER:PASSWORD@HOST:PORT/DATABASE, with % and other ' +
        'special characters of user and password as %25 and so on.',
    )
  }
  rejectUnknownParameters(url)
  const schema = url.searchParams.get('schema') ?? DEFAULT_SCHEMA
  if (!/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new UnusableDatabaseError(
      `"${schema}" cannot be the schema of the database. Use lower-case letters, digits and underscores, at most 63; ` +
        'names that begin with pg_ are those of PostgreSQL.',
    )
  }
  url.searchParams.delete('schema')
  rejectRelativePaths(url.searchParams)
  setSslMode(url.searchParams)
  // PostgreSQL cuts longer names.
  const application = `quotekeeper${schema === DEFAULT_SCHEMA ? '' : ` ${schema}`}`.slice(0, 63)
  const name = `postgres://${url.host}${url.pathname}${schema === DEFAULT_SCHEMA ? '' : `?schema=${schema}`}`
  return { connectionString: url.href, schema, application, name }
}

function rejectUnknownParameters({ search, searchParams }: URL): void {
  const keys = [...searchParams.keys()]
  const wrong = keys.find((key, at) => !PARAMETERS.includes(key) || keys.indexOf(key) !== at)
  if (wrong === undefined) return
  const allowed = `Allowed are ${PARAMETERS.join(', ')}, each once; host, port and user belong before the "?".`
  // A password with "?" may be there.
  const shown = /^\w{1,30}$/.test(wrong) && !search.includes('@') ? ` "${wrong}"` : ''
  const what = PARAMETERS.includes(wrong) ? 'more than once' : 'which is not known'
  throw new UnusableDatabaseError(`The URL of the database has the parameter${shown} ${what}. ${allowed}`)
}

/** The folder that a relative path begins in is another one for each way to start a process. */
function rejectRelativePaths(parameters: URLSearchParams): void {
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const path = parameters.get(name)
    if (path !== null && !isAbsolute(path))
      throw new UnusableDatabaseError(
        `${name} of the database is "${path}", which is not an absolute path. Give the whole path of the file, such as /etc/quotekeeper/ca.pem.`,
      )
  }
}

/** Gives `sslmode` the meaning that it has for psql; without one, a named certificate is verified in full. */
function setSslMode(parameters: URLSearchParams): void {
  if (parameters.size === 0) return
  const mode = parameters.get('sslmode') ?? 'verify-full'
  if (!SSL_MODES.includes(mode)) {
    throw new UnusableDatabaseError(
      `"${mode}" cannot be the sslmode of the database. Use one of ${SSL_MODES.join(', ')}.`,
    )
  }
  if (mode === 'verify-ca' && !parameters.get('sslrootcert')) {
    throw new UnusableDatabaseError(
      'sslmode=verify-ca of the database needs sslrootcert=PATH, the certificate of the authority. Add it, or use verify-full.',
    )
  }
  parameters.set('sslmode', mode)
  // Otherwise the driver takes weaker modes for verify-full, and warns of it.
  parameters.set('uselibpqcompat', 'true')
}
