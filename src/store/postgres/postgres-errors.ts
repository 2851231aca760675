import pg from 'pg'
import { DatabaseUnavailableError, StoreError, UnusableDatabaseError } from '../errors.js'

/** The server does not answer on a connection, and the driver reported no error. */
export class NoAnswerError extends Error {
  override name = 'NoAnswerError'
  /** The server does not answer on another connection either. */
  readonly isServerGone: boolean
  constructor(message: string, { isServerGone }: { isServerGone: boolean }) {
    super(message)
    this.isServerGone = isServerGone
  }
}

/** Whether the connection was lost or cannot be opened. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof NoAnswerError) return true
  if (error instanceof pg.DatabaseError) {
    // 08: connection exceptions. 57P: the server shuts down, crashed, starts. 25P03, 57P05: idle for too long.
    return /^(08|57P0[1-5]|25P03)/.test(error.code ?? '')
  }
  const { code = '' } = error as NodeJS.ErrnoException
  return (
    /^(ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENETDOWN)/.test(code) ||
    error instanceof AggregateError ||
    /^(Connection terminated|Client has encountered a connection error|timeout expired|timeout exceeded when trying to connect|Client was closed)/.test(
      error.message,
    )
  )
}

/** Whether PostgreSQL cancelled a transaction because of a conflict with another one, so that it can be retried at once. */
export const isConflict = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(40001|40P01)$/.test(error.code ?? '')

/** Whether the server is a standby, or has become one. */
export const isServerReadOnly = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '25006'

/**
 * Whether the server cannot be used now: it cannot be reached, has no free connection, or is a standby, as during a fail-over before the
 * address has moved.
 */
export const isServerUnavailable = (error: unknown): boolean =>
  isConnectionLost(error) || isServerReadOnly(error) || (error instanceof pg.DatabaseError && error.code === '53300')

interface Remedy {
  what: string
  todo: string
  unusable?: boolean
}

const UNREACHABLE: Remedy = {
  what: 'PostgreSQL cannot be reached',
  todo: 'Check that it runs and that "database" in the configuration is right.',
}

/** Errors of the driver, by their message or code. */
const DRIVER_REMEDIES: readonly (readonly [RegExp, Remedy])[] = [
  [
    /^timeout exceeded when trying to connect/,
    {
      what: 'Every connection of this process to PostgreSQL was in use for too long',
      todo: 'Check that it answers, and check its pg_stat_activity for slow statements and locks.',
    },
  ],
  [
    /^SASL|password must be a string/,
    {
      what: 'PostgreSQL asks for a password',
      todo: 'Set databasePassword in the configuration, or PGPASSWORD.',
      unusable: true,
    },
  ],
  [
    /does not support SSL|establishing an SSL connection/,
    {
      what: 'PostgreSQL does not encrypt connections, as sslmode in the URL of "database" asks for',
      todo: 'Set up TLS on the server (ssl = on), or use sslmode=disable in a network that you trust.',
      unusable: true,
    },
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    {
      what: 'The certificate of PostgreSQL is for another host name',
      todo: 'Use the host name of the certificate in "database", or sslmode=verify-ca with sslrootcert, which does not compare the name.',
      unusable: true,
    },
  ],
  [
    /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    {
      what: 'The certificate of PostgreSQL is not valid now',
      todo: 'Renew it on the server, or correct the clock of this machine.',
      unusable: true,
    },
  ],
  [
    /^[A-Z_]+_CERT(_|$)|^CERT_|^UNABLE_TO_VERIFY|certificate/,
    {
      what: 'The certificate of PostgreSQL is not from an authority that this machine trusts',
      todo: 'Name the certificate of its authority in the URL of "database": sslmode=verify-full&sslrootcert=PATH.',
      unusable: true,
    },
  ],
  [
    /^ERR_(TLS|SSL|OSSL|CRYPTO)|^EPROTO$/,
    {
      what: 'The connection to PostgreSQL cannot be encrypted',
      todo: 'Check the files that sslrootcert, sslcert and sslkey in the URL of "database" name, and the TLS versions of the server.',
      unusable: true,
    },
  ],
  [
    /^(ENOENT|EACCES|EISDIR|ENOTDIR): .*, (open|read)\b/,
    {
      what: 'A file for the encrypted connection to PostgreSQL cannot be read',
      todo: 'Correct sslrootcert, sslcert or sslkey in the URL of "database", or the permissions of the file.',
      unusable: true,
    },
  ],
]

const REMEDIES: readonly (readonly [RegExp, Remedy])[] = [
  [
    /^28P01/,
    {
      what: 'PostgreSQL does not accept the password',
      todo: 'Correct databasePassword in the configuration or PGPASSWORD, or the user in "database".',
      unusable: true,
    },
  ],
  [
    /^28/,
    {
      what: 'PostgreSQL does not accept the user, or a connection of this kind',
      todo: 'Correct "database" in the configuration (user, sslmode), create the user, or allow it in pg_hba.conf of the server.',
      unusable: true,
    },
  ],
  [
    /^3D000/,
    {
      what: 'The database does not exist on PostgreSQL',
      todo: 'Correct "database" in the configuration, or create the database.',
      unusable: true,
    },
  ],
  [
    /^42501/,
    {
      what: 'The user of PostgreSQL lacks a right',
      todo: 'Grant the rights that docs/OPERATIONS.md lists, or let a user who has them run: quotekeeper check',
      unusable: true,
    },
  ],
  [
    /^53300/,
    {
      what: 'PostgreSQL has no free connection',
      todo: 'Raise its max_connections, or run fewer processes.',
    },
  ],
  [/^53100/, { what: 'The disk of PostgreSQL is full', todo: 'Free some space; the transaction was rolled back.' }],
  [
    /^25006/,
    {
      what: 'PostgreSQL is read-only: a standby, or a database set to read-only',
      todo: 'Point "database" to the primary server.',
    },
  ],
  [
    /^57014/,
    {
      what: 'PostgreSQL cancelled a statement that took longer than a minute, or that somebody cancelled',
      todo: 'It was rolled back. Check pg_stat_activity of the server for load and locks, and whether its autovacuum runs.',
    },
  ],
  [
    /^(40001|40P01|55P03)/,
    {
      what: 'PostgreSQL cancelled the transaction because others held its locks for too long',
      todo: 'It was rolled back; the next run tries again.',
    },
  ],
]

/**
 * Converts errors of PostgreSQL and its driver into messages with a remedy; returns other errors unchanged.
 * @param name of the database, without user and password
 */
export function toPostgresError(error: unknown, name: string): Error {
  if (error instanceof StoreError) return error
  if (!(error instanceof pg.DatabaseError)) return toDriverError(error, name)
  if (isConnectionLost(error)) return storeError(UNREACHABLE, error, name)
  const known = REMEDIES.find(([code]) => code.test(error.code ?? ''))
  const bug = { what: 'Unexpected database error', todo: 'This is a bug in Quotekeeper; please report it.' }
  return storeError(known?.[1] ?? bug, error, name)
}

function toDriverError(error: unknown, name: string): Error {
  if (!(error instanceof Error)) return new StoreError(String(error))
  for (const each of withCauses(error)) {
    const known = DRIVER_REMEDIES.find(([text]) => text.test(each.message) || text.test(each.code ?? ''))
    if (known) return storeError(known[1], each, name)
  }
  return isConnectionLost(error) ? storeError(UNREACHABLE, error, name) : error
}

/** The error, its causes, and the errors of all addresses that were tried. */
function withCauses(error: unknown): NodeJS.ErrnoException[] {
  if (!(error instanceof Error)) return []
  const attempts: unknown[] = error instanceof AggregateError ? error.errors : []
  return [error, ...[error.cause, ...attempts].flatMap(withCauses)]
}

function storeError({ what, todo, unusable = false }: Remedy, error: Error, name: string): StoreError {
  const isTemporary = isServerUnavailable(error) || (error as pg.DatabaseError).code === '55P03'
  const ErrorClass = unusable ? UnusableDatabaseError : isTemporary ? DatabaseUnavailableError : StoreError
  const reason = error.message || (error as NodeJS.ErrnoException).code || 'no connection'
  return new ErrorClass(`${what}: ${name} (${reason}). ${todo}`, { cause: error })
}
