import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import { DatabaseUnavailableError, StoreError, UnusableDatabaseError } from '../errors.js'

/** Size of the `-shm` file of a small database. */
const SHARED_MEMORY_BYTES = 32 * 2 ** 10

/** The remedy for a damaged database. `.recover` prints SQL, which a second sqlite3 reads into a new file. */
export const restoreRemedy = (path: string): string =>
  'Restore a backup with: quotekeeper restore BACKUP. Without a backup, recover what is left into a new file: ' +
  `sqlite3 ${quoteForShell(path)} .recover | sqlite3 recovered.db`

/** Converts errors of SQLite into messages with a remedy; returns other errors unchanged. */
export function toStoreError(error: unknown, path: string): Error {
  if (!(error instanceof Database.SqliteError)) return error instanceof Error ? error : new StoreError(String(error))
  const remedy = remedyFor(error.code, path)
  const isTemporary = /^SQLITE_(FULL|IOERR|BUSY|LOCKED)/.test(error.code)
  const ErrorClass = remedy.unusable ? UnusableDatabaseError : isTemporary ? DatabaseUnavailableError : StoreError
  return new ErrorClass(`${remedy.what}: ${path} (${error.message}). ${remedy.todo}`, { cause: error })
}

export const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code)

function remedyFor(code: string, path: string): { what: string; todo: string; unusable: boolean } {
  if (/^SQLITE_NOTADB/.test(code)) {
    return {
      what: 'The database is not a SQLite file, or is damaged',
      todo: `Nothing was changed. Check the path of "database" in the configuration. If it is right, the file is damaged. ${restoreRemedy(path)}`,
      unusable: true,
    }
  }
  if (/^SQLITE_CORRUPT/.test(code)) {
    return { what: 'The database is damaged', todo: `Nothing was changed. ${restoreRemedy(path)}`, unusable: true }
  }
  if (/^SQLITE_FULL/.test(code) || (/^SQLITE_IOERR/.test(code) && isFull(dirname(path)))) {
    return {
      what: 'The disk of the database is full',
      todo: 'Free some space; the transaction was rolled back.',
      unusable: false,
    }
  }
  if (/^SQLITE_(READONLY|CANTOPEN|PERM|AUTH)/.test(code)) {
    return {
      what: 'The database cannot be opened for writing',
      todo: 'Check that the folder exists, that this user may write to it and to the file, and that the disk is not mounted read-only.',
      unusable: true,
    }
  }
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return {
      what: 'The database is locked by another process',
      todo: `Wait for it to finish, or find it with: fuser ${quoteForShell(path)}`,
      unusable: false,
    }
  }
  if (/^SQLITE_IOERR/.test(code)) {
    return {
      what: 'The disk of the database reported an error',
      todo: 'Check the disk; the transaction was rolled back.',
      unusable: false,
    }
  }
  return { what: 'Unexpected database error', todo: 'This is a bug in Quotekeeper; please report it.', unusable: false }
}

/** Whether the disk is full: SQLite reports an I/O error if it has no space for its shared memory file. */
function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < SHARED_MEMORY_BYTES
  } catch {
    return false
  }
}
