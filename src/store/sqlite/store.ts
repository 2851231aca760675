import { statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Store } from '../contract.js'
import { createStore, type StoreOptions } from '../create-store.js'
import { backupDatabase } from '../maintenance/backup.js'
import type { Queries } from '../sql/sql-database.js'
import { createRequestLedgers, machineClock } from './request-ledger.js'
import { openSqlite } from './sqlite-database.js'

/**
 * Opens the store in a SQLite file. Writes are on the disk before they are acknowledged.
 * @throws StoreError with a remedy if the file cannot be used; MissingDatabaseError
 */
export async function openStore({ path, ...options }: StoreOptions & { path: string }): Promise<Store> {
  const { reader, close, ...database } = await openSqlite(path, options)
  const ledgers = createRequestLedgers(path, options.clock ?? machineClock)
  const engine = {
    ...{ name: path, database },
    requestLedger: (origin: string) => ledgers.ledger(origin),
    check: () => check(database),
    checkWritable: () => checkWritable(path),
    async sizes() {
      const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
      return { database: size(path), wal: size(`${path}-wal`) }
    },
    backup: (file: string, signal?: AbortSignal) => backupDatabase(reader, file, signal),
    async close() {
      ledgers.close()
      await close()
    },
  }
  return createStore(engine, options)
}

async function check(database: Queries) {
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
