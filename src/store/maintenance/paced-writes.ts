import { setTimeout as wait } from 'node:timers/promises'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'

/** How long consecutive transactions may hold the write lock before a pause, in milliseconds. */
const MAX_BURST_MS = 50

export type PacedWrite = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>

/**
 * Runs many short transactions that are not urgent, with pauses between them. The lock of SQLite is not fair, so that without pauses other
 * processes might not get it at all. Only the time within transactions counts, because others can write while one waits.
 * @returns a function that runs one write, and then pauses if necessary
 */
export function pacedWrites(
  database: Pick<SqlDatabase, 'write'>,
  pause: (milliseconds: number) => Promise<unknown> = wait,
): PacedWrite {
  let burst = 0
  return async (work) => {
    const result = await database.write(async (tx) => {
      const began = performance.now()
      try {
        return await work(tx)
      } finally {
        burst += performance.now() - began
      }
    })
    if (burst >= MAX_BURST_MS) {
      await pause(Math.min(burst, 4 * MAX_BURST_MS))
      burst = 0
    }
    return result
  }
}
