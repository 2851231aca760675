import { statSync } from 'node:fs'
import type { Clock } from '../../core/time/clock.js'
import type { Store } from '../contract.js'
import { createHistory } from '../documents/queries/history.js'
import { createRecorder } from '../documents/recorder.js'
import { revalidate } from '../documents/revalidate.js'
import { UnusableDatabaseError } from '../errors.js'
import { createEventWriter } from '../events/event-writer.js'
import { createObservedEvents } from '../events/observed-events.js'
import { backupDatabase } from '../maintenance/backup.js'
import { checkWritable } from '../maintenance/write-check.js'
import { createSharedStore } from '../shared-modules.js'
import { observed } from '../sql/sql-database.js'
import { Connection, retryWhileBusy, type Sqlite, tryToWrite } from './connection.js'
import { isNotWritable, rejectOtherThanFile, requireFile } from './read-only.js'
import { createRequestLedgers, machineClock } from './request-ledger.js'
import { sqliteDatabase, streamRows } from './sqlite-database.js'
import { isBusy, restoreRemedy } from './sqlite-errors.js'
import { createSchema, rejectOtherSchema, schemaNumber } from './sqlite-schema.js'

export interface StoreOptions {
  /** Path of the database file. */
  path: string
  /** Creates a missing file, which is otherwise an error. Default true. */
  create?: boolean
  /** Skips the checks of integrity and schema, because this process has opened the file before. Default false. */
  checked?: boolean
  /**
   * For a command that only reads: opens the file for reading only if it cannot be written (read-only or full disk, no permission), and
   * does not check its integrity. Default false.
   */
  readOnlyIfNeeded?: boolean
  /** The clock of leases. Default: that of the machine, or of the PostgreSQL server. */
  clock?: Clock
  /** The command that this process runs, such as `quotekeeper start`, for messages of processes that wait for it. */
  command?: string
  /** Called with null after each write, and with the error of one that failed because nothing can be written now. */
  onWrite?: (error: Error | null) => void
  /** Called when the file was opened for reading only, with the reason. */
  onReadOnly?: (reason: string) => void
}

/**
 * Opens the SQLite store: checks its integrity and schema, and creates it in an empty file. Writes are flushed to disk before they are acknowledged.
 * @throws UnusableDatabaseError with a remedy if the file cannot be used
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const clock = options.clock ?? (() => new Date())
  rejectOtherThanFile(options.path)
  if (options.create === false) requireFile(options.path)
  const connection = await openConnection(options)
  const database = sqliteDatabase(connection)
  const events = createEventWriter(database)
  const shared = { database: observed(database, options.onWrite), events, clock, command: options.command ?? null }
  const { stopRenewing, ...modules } = createSharedStore(shared)
  const ledgers = createRequestLedgers(options.path, options.clock ?? machineClock)
  return {
    name: options.path,
    ...modules,
    ...createRecorder(database, createObservedEvents(events)),
    ...createHistory(database, streamRows(connection)),
    requestLedger: (origin) => ledgers.ledger(origin),
    check: async () => check(connection),
    checkWritable: () => checkWritable(connection),
    revalidate: (now) => revalidate(database, now),
    backup: (file, signal) => connection.read((db) => backupDatabase(db, file, signal)),
    async close() {
      stopRenewing()
      ledgers.close()
      await connection.close()
    },
  }
}

async function openConnection(options: StoreOptions): Promise<Connection> {
  const prepare = async (db: Sqlite) => {
    // The check takes seconds for a large file. A command that only reads fails when it reads a damaged page.
    if (!options.readOnlyIfNeeded) rejectDamaged(db)
    rejectOtherSchema(db)
    await retryWhileBusy(() => createSchema(db))
  }
  try {
    return await Connection.open(options.path, {
      inspect: rejectOtherSchema,
      async prepare(db) {
        if (options.checked) return
        await prepare(db)
        if (!options.readOnlyIfNeeded) rejectReadOnly(db)
      },
    })
  } catch (error) {
    if (!options.readOnlyIfNeeded || !isNotWritable(error)) throw error
    const connection = await Connection.openReadOnly(options.path, prepare)
    options.onReadOnly?.((error as Error).message)
    return connection
  }
}

/**
 * Writes in a transaction that is rolled back, because SQLite opens a file without an error even if this user may not write to it, and the
 * first run would fail.
 */
function rejectReadOnly(db: Sqlite): void {
  try {
    tryToWrite(db)
  } catch (error) {
    // Another process is writing, so the file is writable.
    if (!isBusy(error)) throw error
  }
}

function rejectDamaged(db: Sqlite): void {
  const found = db.pragma('quick_check(1)', { simple: true })
  if (found !== 'ok') {
    throw new UnusableDatabaseError(
      `The database is damaged: ${db.name} (${found}). Nothing was changed. ${restoreRemedy(db.name)}`,
    )
  }
}

function check(connection: Connection) {
  return connection.read((db) => {
    const found = db.pragma('integrity_check(1)', { simple: true }) as string
    const orphans = (db.pragma('foreign_key_check') as unknown[]).length
    const ok = found === 'ok' && orphans === 0
    return {
      ok,
      message: ok ? 'ok' : found === 'ok' ? `foreign key violations: ${orphans}` : found,
      bytes: statSync(connection.path).size,
      schemaVersion: schemaNumber(db),
    }
  })
}
