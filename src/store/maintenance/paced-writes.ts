import { setTimeout as wait } from 'node:timers/promises'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'

/** The maximum pause after a transaction, in milliseconds. */
const MAX_PAUSE_MS = 200

/**
 * Runs many transactions that are not urgent, each followed by a pause as long as it took. The lock of SQLite is not fair, so that without
 * pauses other processes might not get it at all.
 */
export const pacedWrites =
  (database: SqlDatabase) =>
  async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    const began = performance.now()
    const result = await database.write(work)
    await wait(Math.min(performance.now() - began, MAX_PAUSE_MS))
    return result
  }
