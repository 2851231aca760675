import pg from 'pg'
import { StoreError, UnusableDatabaseError } from '../errors.js'

/** The connection was lost or cannot be made, whatever the statement. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof pg.DatabaseError) {
    // 08: connection exceptions. 57P: the server shuts down, crashed, starts. 25P03, 57P05: idle for too long.
    return /^(08|57P0[1-5]|25P03)/.test(error.code ?? '')
  }
  const { code = '' } = error as NodeJS.ErrnoException
  return (
    /^(ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENETDOWN)/.test(code) ||
    error instanceof AggregateError ||
    /^(Connection terminated|Client has encountered a connection error|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client was closed)/.test(
      error.message,
    )
  )
}

/** PostgreSQL cancelled a transaction because of another one; it can be made again at once. */
export const isConflict = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(40001|40P01)$/.test(error.code ?? '')

/**
 * The server cannot be used for the moment: it cannot be reached, has no free connection, or is a standby, as during a fail-over
 * whose address has not moved yet.
 */
export const isAway = (error: unknown): boolean =>
  isConnectionLost(error) || (error instanceof pg.DatabaseError && /^(53300|25006)$/.test(error.code ?? ''))

/** No transaction succeeds for the moment, whatever it contains: the server is away, or others hold locks for too long. */
export const isUnavailable = (error: unknown): boolean =>
  isAway(error) || (error instanceof pg.DatabaseError && error.code === '55P03')

interface Remedy {
  what: string
  todo: string
  unusable?: boolean
}

const UNREACHABLE: Remedy = {
  what: 'PostgreSQL cannot be reached',
  todo: 'Check that it runs and that "database" in the configuration is right; Quotekeeper goes on when it is back.',
}

/** Of the driver, by their message or code. */
const DRIVER_REMEDIES: readonly (readonly [RegExp, Remedy])[] = [
  [
    /^SASL|password must be a string/,
    {
      what: 'PostgreSQL asks for a password',
      todo: 'Name it in databasePassword of the configuration, or set PGPASSWORD.',
      unusable: true,
    },
  ],
  [
    /does not support SSL|CERT|certificate|^ERR_(TLS|SSL)/i,
    {
      what: 'The connection to PostgreSQL cannot be encrypted as asked for',
      todo: 'Correct sslmode and sslrootcert in the URL of "database", or the certificate of the server.',
      unusable: true,
    },
  ],
]

const REMEDIES: readonly (readonly [RegExp, Remedy])[] = [
  [
    /^(28|3D000)/,
    {
      what: 'PostgreSQL does not accept the user, the password or the database',
      todo: 'Correct "database" in the configuration, or create the user and the database.',
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
      todo: 'Raise its max_connections, or let fewer processes use it; Quotekeeper tries again.',
    },
  ],
  [
    /^54000/,
    {
      what: 'An identifier of the marketplace is too long for a key of PostgreSQL, which has 2,704 bytes',
      todo: 'The document is left out; all others are recorded. SQLite has no such limit.',
    },
  ],
  [/^53100/, { what: 'The disk of PostgreSQL is full', todo: 'Free some space; the transaction was rolled back.' }],
  [
    /^25006/,
    {
      what: 'PostgreSQL is read-only: a standby, or a database set to read-only',
      todo: 'Point "database" to the primary server; Quotekeeper goes on when it can write.',
    },
  ],
  [
    /^(40001|40P01|55P03|57014)/,
    {
      what: 'PostgreSQL cancelled the transaction because others held its locks for too long',
      todo: 'It was rolled back and is made again in the next run.',
    },
  ],
]

/**
 * Converts errors of PostgreSQL into messages with a remedy; other errors pass unchanged.
 * @param name of the database, without user and password
 */
export function toPostgresError(error: unknown, name: string): Error {
  if (error instanceof StoreError) return error
  if (isConnectionLost(error)) return storeError(UNREACHABLE, error as Error, name)
  if (!(error instanceof pg.DatabaseError)) return toDriverError(error, name)
  const known = REMEDIES.find(([code]) => code.test(error.code ?? ''))
  const bug = { what: 'Unexpected database error', todo: 'This is a bug in Quotekeeper; please report it.' }
  return storeError(known?.[1] ?? bug, error, name)
}

function toDriverError(error: unknown, name: string): Error {
  if (!(error instanceof Error)) return new StoreError(String(error))
  const { message, code = '' } = error as NodeJS.ErrnoException
  const known = DRIVER_REMEDIES.find(([text]) => text.test(message) || text.test(code))
  return known ? storeError(known[1], error, name) : error
}

function storeError({ what, todo, unusable = false }: Remedy, error: Error, name: string): StoreError {
  const ErrorClass = unusable ? UnusableDatabaseError : StoreError
  const reason = error.message || (error as NodeJS.ErrnoException).code || 'no connection'
  return new ErrorClass(`${what}: ${name} (${reason}). ${todo}`, { cause: error })
}
