import pg from 'pg'
import { DatabaseUnavailableError, StoreError } from '../errors.js'

/**
 * - `away`: the server cannot be reached or written now, as while it restarts or fails over; another connection, or a later one, may work
 * - `conflict`: PostgreSQL cancelled the transaction because of another one; it can be retried at once
 * - `busy`: nothing can be written until somebody frees what is in the way
 * - `failed`: an operator must act
 */
type Kind = 'away' | 'conflict' | 'busy' | 'failed'

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
    match: /^28...$|^3D000$|^42501$|^SASL|password must be a string/,
    kind: 'failed',
    what: 'PostgreSQL refuses the connection or the work',
    todo:
      'Correct "database" or databasePassword in the configuration, or PGPASSWORD; or create the user or the database, allow it in pg_hba.conf, ' +
      'or grant the rights that docs/OPERATIONS.md lists.',
  },
  {
    match:
      /CERT_|_CERT$|^UNABLE_TO_VERIFY|certificate|does not support SSL|establishing an SSL connection|^ERR_(TLS|SSL|OSSL|CRYPTO)|^EPROTO$|^(ENOENT|EACCES|EISDIR|ENOTDIR): .*, (open|read)\b/,
    kind: 'failed',
    what: 'The connection to PostgreSQL cannot be encrypted, or its certificate is not accepted',
    todo:
      'Check sslmode and the files that sslrootcert, sslcert and sslkey in the URL of "database" name (docs/OPERATIONS.md), the host name and the ' +
      'TLS of the server; or use sslmode=disable in a network that you trust.',
  },
  {
    match: /^(08P01|42704)$/,
    kind: 'failed',
    what: 'The settings of a connection are not accepted',
    todo: SETTINGS_REMEDY,
  },
  {
    match: /^timeout exceeded when trying to connect|^Query read timeout/,
    kind: 'away',
    what: 'PostgreSQL does not answer',
    todo: 'Check pg_stat_activity for slow statements and locks.',
  },
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
    // 08: connection exceptions. 57P: the server shuts down, crashed, starts. 25P03, 25P04, 57P05: the session was ended by a time-out.
    match:
      /^(08...|57P0[1-5]|25006|25P0[34]|53300|ECONN.*|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|E?NET(UNREACH|DOWN)|ENOENT)$|^(Connection terminated|Client has encountered a connection error|Client was closed|timeout expired)/,
    kind: 'away',
    what: 'PostgreSQL cannot be reached or written',
    todo: 'Check that it runs, has free connections, is the primary server, and that "database" in the configuration is right.',
  },
]

const UNKNOWN: Omit<Remedy, 'match'> = {
  kind: 'failed',
  what: 'Unexpected database error',
  todo: 'This is a bug in Quotekeeper; please report it.',
}

/** The kind of an error of PostgreSQL or its driver; null for any other, as those of the store. */
export const kindOf = (error: unknown): Kind | null => find(error)?.remedy.kind ?? null

/**
 * Converts errors of PostgreSQL and its driver into messages with a remedy; returns other errors unchanged.
 * @param name of the database, without user and password
 */
export function toPostgresError(error: unknown, name: string): Error {
  const found = find(error)
  if (found === null) return error instanceof Error ? error : new StoreError(String(error))
  const { cause, remedy } = found
  const ErrorClass = /^(away|busy)$/.test(remedy.kind) ? DatabaseUnavailableError : StoreError
  const reason = cause.message || cause.code || 'no connection'
  return new ErrorClass(`${remedy.what}: ${name} (${reason}). ${remedy.todo}`, { cause })
}

/** What the table says about an error or one of its causes. */
function find(error: unknown): { cause: NodeJS.ErrnoException; remedy: Omit<Remedy, 'match'> } | null {
  if (error instanceof StoreError) return null
  const causes = withCauses(error)
  for (const remedy of ERRORS) {
    const cause = causes.find((each) => textsOf(each).some((text) => remedy.match.test(text)))
    if (cause) return { cause, remedy }
  }
  return error instanceof pg.DatabaseError ? { cause: error, remedy: UNKNOWN } : null
}

/** A message of the server may contain anything, so only its code counts. */
const textsOf = (error: NodeJS.ErrnoException): string[] =>
  error instanceof pg.DatabaseError ? [error.code ?? ''] : [error.code ?? '', error.message]

/** The error, its causes, and the errors of all addresses that were tried. */
function withCauses(error: unknown): NodeJS.ErrnoException[] {
  if (!(error instanceof Error)) return []
  const attempts: unknown[] = error instanceof AggregateError ? error.errors : []
  return [error, ...[error.cause, ...attempts].flatMap(withCauses)]
}
