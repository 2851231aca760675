import { randomUUID } from 'node:crypto'
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { StoreError } from '../errors.js'
import { connect, PAGES_PER_STEP, type Sqlite } from '../sqlite/sqlite-file.js'

/** The files that SQLite may have beside a database. */
export const COMPANIONS = ['-wal', '-shm', '-journal']

/**
 * Makes a consistent copy of a database (mode 0600) while other processes write. The copy is checked and needs no companion files. It gets
 * its name when it is complete; after an error, it is removed.
 * @throws StoreError if the file exists or cannot be written; the reason of the signal when it is aborted
 */
export async function backupDatabase(source: Sqlite, file: string, signal?: AbortSignal): Promise<void> {
  if (existsSync(file)) throw new StoreError(`${file} already exists. Choose another file.`)
  const folder = dirname(file)
  if (!existsSync(folder))
    throw new StoreError(`The folder ${folder} does not exist. Create it, or check that its disk is mounted.`)
  const temporary = join(folder, `.${basename(file)}.${randomUUID()}.partial`)
  const progress = () => {
    signal?.throwIfAborted()
    return PAGES_PER_STEP
  }
  try {
    await source.backup(temporary, { progress })
    chmodSync(temporary, 0o600)
    checkCopy(temporary)
    renameSync(temporary, file)
    flush(folder)
  } catch (error) {
    for (const suffix of ['', ...COMPANIONS]) rmSync(temporary + suffix, { force: true })
    const { code, message } = error as NodeJS.ErrnoException
    if (typeof code !== 'string') throw error
    throw new StoreError(
      `The backup ${file} cannot be written (${message}). The incomplete copy was removed. ` +
        'Check that its disk has space, and that this user may write to its folder.',
      { cause: error },
    )
  }
}

/** Checks a copy, and removes its write-ahead log so that it can be read in a read-only folder. */
function checkCopy(path: string): void {
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
