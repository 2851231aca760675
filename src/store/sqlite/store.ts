import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Store } from '../contract.js'
import { createStore, type StoreOptions } from '../create-store.js'
import { backupDatabase } from '../maintenance/backup.js'
import { createRequestLedgers, machineClock } from './request-ledger.js'
import { SqliteDatabase } from './sqlite-database.js'

/**
 * Opens the store in a SQLite file. Writes are on the disk before they are acknowledged.
 * @throws StoreError with a remedy if the file cannot be used; MissingDatabaseError
 */
export async function openStore({ path, ...options }: StoreOptions & { path: string }): Promise<Store> {
  const { clock } = options
  const database = await SqliteDatabase.open(path, options)
  const ledgers = createRequestLedgers(path, clock ?? machineClock)
  const engine = {
    ...{ name: path, database, clock: clock ?? (() => new Date()) },
    requestLedger: (origin: string) => ledgers.ledger(origin),
    check: () => check(database),
    checkWritable: () => checkWritable(path),
    sizes: () => database.sizes(),
    backup: (file: string, signal?: AbortSignal) => database.read((db) => backupDatabase(db, file, signal)),
    async close() {
      ledgers.close()
      await database.close()
    },
  }
  return createStore(engine, options)
}

async function check(database: SqliteDatabase) {
  const [found] = await database.all<{ integrity_check: string }>('pragma integrity_check(1)')
  const orphans = (await database.all('pragma foreign_key_check')).length
  const message = orphans > 0 ? `foreign key violations: ${orphans}` : String(found?.integrity_check)
  return { ok: message === 'ok', message }
}

/** The minimum free space, in bytes; with less, the next large poll may not fit. */
const MIN_FREE_BYTES = 32 * 2 ** 20

async function checkWritable(path: string) {
  const folder = dirname(path)
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= MIN_FREE_BYTES) return { ok: true, message: 'enough free space' }
  return {
    ok: false,
    message: `disk almost full: ${Math.floor(free / 2 ** 20)} MiB free in ${folder}; free some space`,
  }
}
