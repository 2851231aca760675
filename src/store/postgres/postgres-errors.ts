import pg from 'pg'
import { DatabaseUnavailableError, StoreError } from '../errors.js'

/** The remedy if the settings of a connection are refused or ignored, as by PgBouncer. */
export const SETTINGS_REMEDY =
  'PostgreSQL 14 or newer is needed. Name it itself in "database", not a pooler such as PgBouncer.'

const ERRORS = {
  /** Nothing can be written until somebody frees what is in the way. */
  busy: {
    match: /^(53100|55P03|57014)$/,
    what: 'PostgreSQL cancelled a statement',
    todo: 'It was rolled back. Free some space on its disk, or check its pg_stat_activity for load and locks.',
  },
  /** PostgreSQL cancelled the transaction because of another one; it can be retried at once. */
  conflict: {
    match: /^(40001|40P01)$/,
    what: 'PostgreSQL cancelled the transaction because of others at the same time',
    todo: 'It was rolled back; the next run tries again.',
  },
  /** The server cannot be reached or written now, as while it restarts or fails over; another connection, or a later one, may work. */
  away: {
    // 08: connection exceptions, but for refused settings. 57P: the server shuts down, crashed, starts. 25P03, 25P04, 57P05: the session
    // was ended by a time-out.
    match:
      /^(08(?!P01)...|57P0[1-5]|25006|25P0[34]|53300|ECONN.*|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|E?NET(UNREACH|DOWN))$|^(connect ENOENT|Connection terminated|Client has encountered a connection error|Client was closed|timeout e|Query read timeout)/,
    what: 'PostgreSQL cannot be reached or written',
    todo:
      'Check that it runs, has free connections, is the primary server and not overloaded (pg_stat_activity), and that "database" in the ' +
      'configuration is right.',
  },
} as const
type Kind = keyof typeof ERRORS

/**
 * The kind of an error of PostgreSQL or its driver; null for any other, and for one that only an operator can mend. A message of the server
 * may contain anything, so only its code counts.
 */
export function kindOf(error: unknown): Kind | null {
  if (!(error instanceof Error) || error instanceof StoreError) return null
  const { code = '', message } = error as NodeJS.ErrnoException
  const texts = error instanceof pg.DatabaseError ? [code] : [code, message]
  const kinds = Object.keys(ERRORS) as Kind[]
  return kinds.find((kind) => texts.some((text) => ERRORS[kind].match.test(text))) ?? null
}

/**
 * Converts errors of PostgreSQL and its driver into messages with a remedy; returns other errors unchanged.
 * @param name of the database, without user and password
 */
export function toPostgresError(error: unknown, name: string): unknown {
  const kind = kindOf(error)
  if (kind !== null) {
    const ErrorClass = kind === 'conflict' ? StoreError : DatabaseUnavailableError
    return new ErrorClass(messageOf(error, name, ERRORS[kind]), { cause: error })
  }
  if (!(error instanceof pg.DatabaseError)) return error
  const todo =
    'Grant the rights that docs/OPERATIONS.md lists if they are missing; otherwise this is a bug in Quotekeeper: please report it.'
  return new StoreError(messageOf(error, name, { what: 'PostgreSQL refuses the work', todo }), { cause: error })
}

/** Converts an error of making a connection, unless the server is only away. */
export function toConnectionError(error: unknown, name: string): unknown {
  if (kindOf(error) !== null) return error
  const what = 'PostgreSQL refuses the connection, or it cannot be encrypted'
  const todo =
    'Correct "database" or databasePassword in the configuration, or PGPASSWORD; create the user or the database, or allow it in ' +
    'pg_hba.conf; check sslmode, the files that sslrootcert, sslcert and sslkey name, and the certificate of the server ' +
    `(docs/OPERATIONS.md). ${SETTINGS_REMEDY}`
  return new StoreError(messageOf(error, name, { what, todo }), { cause: error })
}

function messageOf(error: unknown, name: string, { what, todo }: { what: string; todo: string }): string {
  const { message, code } = error as NodeJS.ErrnoException
  return `${what}: ${name} (${message || code}). ${todo}`
}
