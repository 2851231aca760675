import { quoteForShell } from '../../core/text/quote-for-shell.js'
import { DatabaseUnavailableError, StoreError } from '../errors.js'

/** The remedy for a damaged database. `.recover` prints SQL, which a second sqlite3 reads into a new file. */
export const restoreRemedy = (path: string): string =>
  'Restore a backup with: quotekeeper restore BACKUP. Without a backup, recover what is left into a new file: ' +
  `sqlite3 ${quoteForShell(path)} .recover | sqlite3 recovered.db`

export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))

/** Converts errors of SQLite, and of a file that may not be written, into messages with a remedy; returns other errors unchanged. */
export function toStoreError(error: unknown, path: string): Error {
  if (!(error instanceof Error)) return new StoreError(String(error))
  const code = codeOf(error)
  const make = (ErrorClass: typeof StoreError, what: string, todo: string) =>
    new ErrorClass(`${what}: ${path} (${error.message}). ${todo}`, { cause: error })
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
    const todo =
      'Nothing was changed. Check the path of "database" in the configuration. If it is right, the file is damaged.'
    return make(StoreError, 'The database is damaged, or not a SQLite file', `${todo} ${restoreRemedy(path)}`)
  }
  if (/^(SQLITE_(READONLY|CANTOPEN|PERM|AUTH)|EACCES|EPERM|EROFS)/.test(code)) {
    const todo =
      'Check that the folder exists, that this user may write to it and to the file, and that the disk is not mounted read-only.'
    return make(StoreError, 'The database cannot be opened or written', todo)
  }
  if (isBusy(error)) {
    const todo = `Wait for it to finish, or find it with: fuser ${quoteForShell(path)}`
    return make(DatabaseUnavailableError, 'The database is locked by another process', todo)
  }
  // Without space for its shared memory file, SQLite reports an I/O error.
  if (/^SQLITE_(FULL|IOERR)/.test(code)) {
    const todo = 'Free some space, or check the disk; the transaction was rolled back.'
    return make(DatabaseUnavailableError, 'The disk of the database is full, or reported an error', todo)
  }
  if (!code.startsWith('SQLITE_')) return error
  return make(StoreError, 'Unexpected database error', 'This is a bug in Quotekeeper; please report it.')
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException | null)?.code ?? '')
