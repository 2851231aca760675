import pg from 'pg'
import { DatabaseUnavailableError, StoreError } from '../errors.js'

/**
 * - `away`: the server cannot be reached or written now, as while it restarts or fails over; another connection, or a later one, may work
 * - `conflict`: PostgreSQL cancelled the transaction because of another one; it can be retried at once
 * - `busy`: nothing can be written until somebody frees what is in the way
 */
type Kind = 'away' | 'conflict' | 'busy'

interface Remedy {
  /** The codes of the server, or the codes and messages of the driver. */
  match: RegExp
  kind: Kind
  what: string
  todo: string
}

/** The remedy if the settings of a connection are refused or ignored, as by PgBouncer. */
export const SETTINGS_REMEDY =
  'PostgreSQL 14 or newer is needed. Name it itself in "database", not a pooler such as PgBouncer.'

const ERRORS: readonly Remedy[] = [
  {
    match: /^(53100|55P03|57014)$/,
    kind: 'busy',
    what: 'PostgreSQL cancelled a statement',
    todo: 'It was rolled back. Free some space on its disk, or check its pg_stat_activity for load and locks.',
  },
  {
    match: /^(40001|40P01)$/,
    kind: 'conflict',
    what: 'PostgreSQL cancelled the transaction because of others at the same time',
    todo: 'It was rolled back; the next run tries again.',
  },
  {
    // 08: connection exceptions, but for refused settings. 57P: the server shuts down, crashed, starts. 25P03, 25P04, 57P05: the session
    // was ended by a time-out.
    match:
      /^(08(?!P01)...|57P0[1-5]|25006|25P0[34]|53300|ECONN.*|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|E?NET(UNREACH|DOWN))$|^(connect ENOENT|Connection terminated|Client has encountered a connection error|Client was closed|timeout e|Query read timeout)/,
    kind: 'away',
    what: 'PostgreSQL cannot be reached or written',
    todo:
      'Check that it runs, has free connections, is the primary server and not overloaded (pg_stat_activity), and that "database" in the ' +
      'configuration is right.',
  },
]

/** What the table says about an error of PostgreSQL or its driver. A message of the server may contain anything, so only its code counts. */
function remedyFor(error: unknown): Remedy | undefined {
  if (!(error instanceof Error) || error instanceof StoreError) return undefined
  const { code = '', message } = error as NodeJS.ErrnoException
  const texts = error instanceof pg.DatabaseError ? [code] : [code, message]
  return ERRORS.find(({ match }) => texts.some((text) => match.test(text)))
}

/** The kind of an error of PostgreSQL or its driver; null for any other, and for one that only an operator can mend. */
export const kindOf = (error: unknown): Kind | null => remedyFor(error)?.kind ?? null

/**
 * Converts errors of PostgreSQL and its driver into messages with a remedy; returns other errors unchanged.
 * @param name of the database, without user and password
 */
export function toPostgresError(error: unknown, name: string): unknown {
  const remedy = remedyFor(error)
  if (remedy !== undefined) {
    const ErrorClass = remedy.kind === 'conflict' ? StoreError : DatabaseUnavailableError
    return new ErrorClass(messageOf(error, name, remedy), { cause: error })
  }
  if (!(error instanceof pg.DatabaseError)) return error
  const todo =
    'Grant the rights that docs/OPERATIONS.md lists if they are missing; otherwise this is a bug in Quotekeeper: please report it.'
  return new StoreError(messageOf(error, name, { what: 'PostgreSQL refuses the work', todo }), { cause: error })
}

/** Converts an error of making a connection, unless the server is only away. */
export function toConnectionError(error: unknown, name: string): unknown {
  if (remedyFor(error) !== undefined) return error
  const what = 'PostgreSQL refuses the connection, or it cannot be encrypted'
  const todo =
    'Correct "database" or databasePassword in the configuration, or PGPASSWORD; create the user or the database, or allow it in ' +
    'pg_hba.conf; check sslmode, the files that sslrootcert, sslcert and sslkey name, and the certificate of the server ' +
    `(docs/OPERATIONS.md). ${SETTINGS_REMEDY}`
  return new StoreError(messageOf(error, name, { what, todo }), { cause: error })
}

function messageOf(error: unknown, name: string, { what, todo }: Pick<Remedy, 'what' | 'todo'>): string {
  const { message, code } = error as NodeJS.ErrnoException
  return `${what}: ${name} (${message || code}). ${todo}`
}
