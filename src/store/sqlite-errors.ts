import Database from 'better-sqlite3'
import { StoreError, UnusableDatabaseError } from './errors.js'

/** Turns what SQLite says into what an operator can act on; errors of ours pass unchanged. */
export function toStoreError(error: unknown, path: string): Error {
  if (!(error instanceof Database.SqliteError)) return error instanceof Error ? error : new StoreError(String(error))
  const remedy = remedyFor(error.code)
  const Kind = remedy.unusable ? UnusableDatabaseError : StoreError
  return new Kind(`${remedy.what}: ${path} (${error.message}). ${remedy.todo}`, { cause: error })
}

export const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code)

function remedyFor(code: string): { what: string; todo: string; unusable: boolean } {
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return {
      what: 'The database is damaged or is no SQLite file',
      todo: 'Nothing was changed. Restore a backup (quotekeeper backup makes them), or recover with: sqlite3 FILE .recover',
      unusable: true,
    }
  }
  if (/^SQLITE_FULL/.test(code)) {
    return {
      what: 'No room left on the disk of the database',
      todo: 'Make room; nothing was half written.',
      unusable: false,
    }
  }
  if (/^SQLITE_(READONLY|CANTOPEN|PERM|AUTH)/.test(code)) {
    return {
      what: 'The database cannot be opened for writing',
      todo: 'Check that the folder exists and that this user may write to it and to the file.',
      unusable: true,
    }
  }
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return {
      what: 'The database is locked by another process',
      todo: 'Wait until it is done, or find it with: fuser FILE',
      unusable: false,
    }
  }
  if (/^SQLITE_IOERR/.test(code)) {
    return {
      what: 'The disk of the database failed',
      todo: 'Check the disk; nothing was half written.',
      unusable: false,
    }
  }
  return { what: 'The database refused', todo: 'This is a fault in Quotekeeper; please report it.', unusable: false }
}
