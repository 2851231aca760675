import { randomUUID } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, linkSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { makeFolder } from '../../make-folder.js'
import { CLOSING_STOPPED, createClosingStop, ordersOf } from '../closings/closing-stop.js'
import type { ClosingStop } from '../contract.js'
import { StoreError } from '../errors.js'
import { createEventWriter } from '../events/event-writer.js'
import { FIRST_SCHEMA, newestSchema, SQLITE_MIGRATIONS } from '../sql/migrations.js'
import { Connection, connect, type Sqlite } from '../sqlite/connection.js'
import { APPLICATION_ID, schemaVersion } from '../sqlite/migrate.js'
import { sqliteDatabase } from '../sqlite/sqlite-database.js'
import { flush } from './backup.js'

export interface RestoreReport {
  schemaVersion: number
  bytes: number
  /** Where the replaced database is kept; null if there was none. */
  kept: string | null
}

/** How long to wait for other connections to close, in milliseconds. */
const LOCK_TIMEOUT_MS = 1000

/**
 * Replaces a database by a copy of a backup, which is checked first, and in which closing is stopped (docs/CLOSING.md, rule 11). The replaced
 * database and its write-ahead log are kept in the same folder under a dated name. The replacement is atomic.
 * @param options.by who restores it
 * @throws StoreError if the backup is not usable, or if a process uses the database; the database is then unchanged
 */
export async function restoreDatabase(options: {
  backup: string
  database: string
  by: string
  now: Date
}): Promise<RestoreReport> {
  const { backup, by, now } = options
  // Follows a link, because the log and the replaced database belong in the folder of the real file.
  const database = existsSync(options.database) ? realpathSync(options.database) : resolve(options.database)
  assertUsableBackup(backup, database)
  makeFolder(dirname(database))
  const temporary = `${database}.restoring-${randomUUID()}`
  try {
    copyWithLog(backup, temporary)
    const facts = checkCopy(temporary, backup)
    await stopClosingIn(temporary, ordersIn(database), { by, now })
    assertNotInUse(database)
    const kept = keepReplaced(database, now)
    replaceDatabase(temporary, database)
    return { ...facts, kept }
  } catch (error) {
    throw explainFullDisk(error, database)
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(temporary + suffix, { force: true })
  }
}

function assertUsableBackup(backup: string, database: string): void {
  const source = statSync(backup, { throwIfNoEntry: false, bigint: true })
  if (!source) throw new StoreError(`There is no file ${backup}. Give the path of a file made with quotekeeper backup.`)
  if (!source.isFile()) throw new StoreError(`${backup} is not a file. Give the path of one backup.`)
  const current = statSync(database, { throwIfNoEntry: false, bigint: true })
  if (current && current.dev === source.dev && current.ino === source.ino) {
    throw new StoreError(`${backup} is the database in use, not a backup of it. Nothing was changed.`)
  }
}

/** Copies a database with its write-ahead log, if it has one, as a database kept by an earlier restore may. */
function copyWithLog(from: string, to: string): void {
  copyFileSync(from, to)
  chmodSync(to, 0o600)
  if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${to}-wal`)
}

/** Runs all integrity checks on a copy of the backup, and flushes it to disk. */
function checkCopy(copy: string, backup: string): Pick<RestoreReport, 'schemaVersion' | 'bytes'> {
  const reject = (why: string): never => {
    throw new StoreError(`${backup} cannot be restored: ${why}. Nothing was changed. Choose another backup.`)
  }
  let db: Sqlite | undefined
  try {
    db = connect(copy)
    const version = schemaVersion(db)
    if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) reject('it is not a Quotekeeper database')
    if (version < FIRST_SCHEMA) reject('it was written before the first release')
    if (version > newestSchema(SQLITE_MIGRATIONS)) {
      reject(
        `it was written by a newer Quotekeeper (schema ${version}, this one supports ${newestSchema(SQLITE_MIGRATIONS)}); ` +
          'update Quotekeeper first',
      )
    }
    const found = db.pragma('integrity_check(1)', { simple: true })
    if (found !== 'ok') reject(`it is damaged (${found})`)
    const orphans = (db.pragma('foreign_key_check') as unknown[]).length
    if (orphans > 0) reject(`it is damaged (foreign key violations: ${orphans})`)
    db.pragma('journal_mode = delete')
    return { schemaVersion: version, bytes: statSync(copy).size }
  } catch (error) {
    if (error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code))
      return reject(`it is damaged, or not a SQLite database (${error.message})`)
    throw error
  } finally {
    db?.close()
    flush(copy)
  }
}

/** The orders to stop closing in the database to be replaced; none if it cannot be read. */
function ordersIn(database: string): ClosingStop[] {
  let db: Sqlite | undefined
  try {
    db = new Database(database, { readonly: true, fileMustExist: true })
    const value = db.prepare('select value from meta where key = ?').pluck().get(CLOSING_STOPPED) as string | undefined
    return ordersOf(value === undefined ? null : JSON.parse(value))
  } catch {
    return []
  } finally {
    db?.close()
  }
}

/** Stops closing in the copy, before it can be used, and keeps the orders of persons. */
async function stopClosingIn(
  copy: string,
  orders: readonly ClosingStop[],
  { by, now }: { by: string; now: Date },
): Promise<void> {
  const connection = await Connection.open(copy, { inspect: () => undefined, prepare: async () => undefined })
  try {
    const database = sqliteDatabase(connection)
    const { closingStop, stopClosing } = createClosingStop(database, createEventWriter(database))
    const known = new Set(ordersOf(await closingStop()).map(({ since }) => since))
    for (const order of orders) {
      if (!known.has(order.since)) await stopClosing({ ...order, now: new Date(order.since) })
    }
    await stopClosing({ by, now, reason: 'a backup was restored', restored: true })
  } finally {
    await connection.close()
  }
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
    if (!(error instanceof Database.SqliteError) || !/^SQLITE_(BUSY|LOCKED)/.test(error.code)) return
    throw new StoreError(
      `The database ${database} is in use by another process. Nothing was changed. ` +
        'Stop quotekeeper start and work first; with Docker: docker compose stop.',
    )
  } finally {
    db?.close()
  }
}

/** Keeps a copy of the database to be replaced, with its write-ahead log, under a dated name. */
function keepReplaced(database: string, now: Date): string | null {
  const stamp = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const kept = unusedName(`${database}.replaced-${stamp}`)
  if (existsSync(`${database}-wal`)) copyFileSync(`${database}-wal`, `${kept}-wal`)
  if (!existsSync(database)) return null
  try {
    linkSync(database, kept)
  } catch {
    copyFileSync(database, kept) // A file system without hard links.
  }
  chmodSync(kept, 0o600)
  return kept
}

function unusedName(name: string): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`
    if (!existsSync(candidate) && !existsSync(`${candidate}-wal`)) return candidate
  }
}

/** Removes the old write-ahead log first, because SQLite would apply it to the restored database. */
function replaceDatabase(temporary: string, database: string): void {
  for (const suffix of ['-wal', '-shm', '-journal']) rmSync(database + suffix, { force: true })
  flush(temporary)
  renameSync(temporary, database)
  flush(dirname(database))
}

/** Explains what happened if the disk is full; returns any other error unchanged. */
function explainFullDisk(error: unknown, database: string): Error {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (!['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(code)) return error as Error
  return new StoreError(
    `No space left on the disk of ${database} (${message}). The database was not replaced, and the incomplete copy was ` +
      'removed. Free some space and restore again.',
    { cause: error },
  )
}
