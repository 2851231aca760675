import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import { DatabaseUnavailableError, StoreError, UnusableDatabaseError } from '../errors.js'

/** Size of the `-shm` file of a small database. */
const SHARED_MEMORY_BYTES = 32 * 2 ** 10

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
  if (/^SQLITE_NOTADB/.test(code)) {
    const todo =
      'Nothing was changed. Check the path of "database" in the configuration. If it is right, the file is damaged.'
    return make(
      UnusableDatabaseError,
      'The database is not a SQLite file, or is damaged',
      `${todo} ${restoreRemedy(path)}`,
    )
  }
  if (/^SQLITE_CORRUPT/.test(code))
    return make(UnusableDatabaseError, 'The database is damaged', `Nothing was changed. ${restoreRemedy(path)}`)
  if (/^SQLITE_FULL/.test(code) || (/^SQLITE_IOERR/.test(code) && isFull(dirname(path)))) {
    const todo = 'Free some space; the transaction was rolled back.'
    return make(DatabaseUnavailableError, 'The disk of the database is full', todo)
  }
  if (/^(SQLITE_(READONLY|CANTOPEN|PERM|AUTH)|EACCES|EPERM|EROFS)/.test(code)) {
    const todo =
      'Check that the folder exists, that this user may write to it and to the file, and that the disk is not mounted read-only.'
    return make(UnusableDatabaseError, 'The database cannot be opened or written', todo)
  }
  if (isBusy(error)) {
    const todo = `Wait for it to finish, or find it with: fuser ${quoteForShell(path)}`
    return make(DatabaseUnavailableError, 'The database is locked by another process', todo)
  }
  if (/^SQLITE_IOERR/.test(code)) {
    const todo = 'Check the disk; the transaction was rolled back.'
    return make(DatabaseUnavailableError, 'The disk of the database reported an error', todo)
  }
  if (!code.startsWith('SQLITE_')) return error
  return make(StoreError, 'Unexpected database error', 'This is a bug in Quotekeeper; please report it.')
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException | null)?.code ?? '')

/** Whether the disk is full: SQLite reports an I/O error if it has no space for its shared memory file. */
function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < SHARED_MEMORY_BYTES
  } catch {
    return false
  }
}
