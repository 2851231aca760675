import { randomUUID } from 'node:crypto'
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { StoreError } from '../errors.js'
import { connect, type Sqlite } from '../sqlite/connection.js'
import { APPLICATION_ID } from '../sqlite/migrate.js'
import { pageSize } from '../sqlite/sqlite.js'

/** Bytes copied before yielding to the event loop. */
const BYTES_PER_STEP = 4 * 2 ** 20

/**
 * Makes a consistent copy of a database (mode 0600) while other processes write. The copy is checked and needs no companion files. It gets
 * its name when it is complete; after an error, it is removed.
 * @throws StoreError if the file exists or cannot be written; the reason of the signal when it is aborted
 */
export async function backupDatabase(source: Sqlite, file: string, signal?: AbortSignal): Promise<void> {
  if (existsSync(file)) throw new StoreError(`${file} already exists. Choose another file.`)
  const folder = dirname(file)
  if (!existsSync(folder)) {
    throw new StoreError(`The folder ${folder} does not exist. Create it, or check that its disk is mounted.`)
  }
  const temporary = join(folder, `.${basename(file)}.${randomUUID()}.partial`)
  try {
    signal?.throwIfAborted()
    const pagesPerStep = BYTES_PER_STEP / pageSize(source)
    await source.backup(temporary, {
      progress: () => {
        signal?.throwIfAborted()
        return pagesPerStep
      },
    })
    chmodSync(temporary, 0o600)
    finishCopy(temporary)
    if (existsSync(file)) throw new StoreError(`${file} already exists. Choose another file.`)
    renameSync(temporary, file)
    flush(folder)
  } catch (error) {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(temporary + suffix, { force: true })
    throw toBackupError(error, file)
  }
}

/** Checks a copy, and removes its write-ahead log so that it can be read in a read-only folder. */
function finishCopy(path: string): void {
  const copy = connect(path)
  try {
    copy.pragma('journal_mode = delete')
    const found = copy.pragma('quick_check(1)', { simple: true })
    if (found !== 'ok') throw new StoreError(`The copy is damaged (${found}). Check the database: quotekeeper check`)
  } finally {
    copy.close()
  }
  flush(path)
}

/** Flushes a file or a folder to disk. */
export function flush(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function toBackupError(error: unknown, file: string): Error {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'SQLITE_FULL' || code === 'EDQUOT') {
    return new StoreError(
      `No space left on the disk for the backup ${file} (${message}). The incomplete copy was removed. ` +
        'Free some space, or back up to another disk.',
      { cause: error },
    )
  }
  if (!(error instanceof Database.SqliteError)) return error as Error
  return new StoreError(
    `The backup ${file} cannot be written (${message}). The incomplete copy was removed. ` +
      'Check that this user may write to its folder.',
    { cause: error },
  )
}

/** From the header of a SQLite file: https://www.sqlite.org/fileformat.html#the_database_header */
const MAGIC = 'SQLite format 3\0'
const APPLICATION_ID_OFFSET = 68

/** Whether a file is a Quotekeeper database by its header; false if it cannot be read. */
export function isQuotekeeperFile(path: string): boolean {
  const header = Buffer.alloc(APPLICATION_ID_OFFSET + 4)
  try {
    const handle = openSync(path, 'r')
    try {
      readSync(handle, header, 0, header.length, 0)
    } finally {
      closeSync(handle)
    }
  } catch {
    return false
  }
  return (
    header.toString('latin1', 0, MAGIC.length) === MAGIC &&
    header.readUInt32BE(APPLICATION_ID_OFFSET) === APPLICATION_ID
  )
}
