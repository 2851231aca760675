import { randomUUID } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, linkSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { makeFolder } from '../../make-folder.js'
import { DatabaseUnavailableError, StoreError } from '../errors.js'
import { isBusy } from '../sqlite/sqlite-errors.js'
import type { Sqlite } from '../sqlite/sqlite-file.js'
import { openStore } from '../sqlite/store.js'
import { COMPANIONS, flush } from './backup.js'

interface RestoreOptions {
  /** Path of the backup, and of the database. */
  backup: string
  database: string
  /** Who restores it. */
  by: string
  now: Date
}

/** How long to wait for other connections to close, in milliseconds. */
const LOCK_TIMEOUT_MS = 1000

/**
 * Replaces a database by a copy of a backup, which is checked first, and in which closing is stopped (docs/CLOSING.md, rule 11). The replaced
 * database is kept in the same folder under a dated name. The replacement is atomic.
 * @returns where the replaced database is kept; null if there was none
 * @throws StoreError if the backup is not usable, or if a process uses the database; the database is then unchanged
 */
export async function restoreDatabase({ backup, by, now, ...options }: RestoreOptions): Promise<string | null> {
  // Follows a link, because the log and the replaced database belong in the folder of the real file.
  const database = existsSync(options.database) ? realpathSync(options.database) : resolve(options.database)
  const copy = `${database}.restoring-${randomUUID()}`
  try {
    if (!existsSync(backup)) throw new StoreError('there is no such file.')
    makeFolder(dirname(database))
    copyWithLog(backup, copy)
    await prepareCopy(copy, { by, now })
    assertNotInUse(database)
    const kept = keepReplaced(database, now)
    // First, because SQLite would apply the log to the restored database.
    for (const suffix of COMPANIONS) rmSync(database + suffix, { force: true })
    renameSync(copy, database)
    flush(dirname(database))
    return kept
  } catch (error) {
    const reason = (error as Error).message.replaceAll(copy, 'its copy')
    throw new StoreError(`The database was not replaced by ${backup}: ${reason}`, { cause: error })
  } finally {
    for (const suffix of ['', ...COMPANIONS]) rmSync(copy + suffix, { force: true })
  }
}

/** Copies a file with its write-ahead log, if it has one, as a database kept by an earlier restore may. */
function copyWithLog(from: string, to: string): void {
  for (const suffix of ['', '-wal']) {
    if (!existsSync(from + suffix)) continue
    copyFileSync(from + suffix, to + suffix)
    chmodSync(to + suffix, 0o600)
  }
}

/** Checks a copy, stops closing in it, and flushes it to disk. */
async function prepareCopy(copy: string, { by, now }: Pick<RestoreOptions, 'by' | 'now'>): Promise<void> {
  const store = await openStore({ path: copy, create: false }).catch((error) => {
    if (error instanceof DatabaseUnavailableError) throw error
    throw new StoreError('it is damaged, or no database of this version of Quotekeeper.', { cause: error })
  })
  try {
    await store.stopClosing({ by, now, reason: 'a backup was restored', restored: true })
  } finally {
    await store.close()
  }
  flush(copy)
}

/**
 * Briefly takes the exclusive lock of SQLite, and applies a write-ahead log left by a crash.
 * @throws StoreError while another connection has the database open
 */
export function assertNotInUse(database: string): void {
  if (!existsSync(database)) return
  let db: Sqlite | undefined
  try {
    db = new Database(database, { timeout: LOCK_TIMEOUT_MS })
    db.pragma('locking_mode = exclusive')
    db.exec('begin exclusive; rollback')
  } catch (error) {
    // A damaged database cannot be locked, but may be replaced.
    if (!isBusy(error)) return
    throw new StoreError(
      `the database ${database} is in use by another process. Stop quotekeeper start and work first; with Docker: docker compose stop.`,
    )
  } finally {
    db?.close()
  }
}

/** Keeps the database to be replaced, with the write-ahead log of one that is damaged, under a dated name. */
function keepReplaced(database: string, now: Date): string | null {
  if (!existsSync(database)) return null
  const kept = `${database}.replaced-${now.toISOString().replaceAll(/[-:.]/g, '')}`
  try {
    linkSync(database, kept)
    if (existsSync(`${database}-wal`)) linkSync(`${database}-wal`, `${kept}-wal`)
  } catch {
    copyWithLog(database, kept) // A file system without hard links.
  }
  chmodSync(kept, 0o600)
  return kept
}
