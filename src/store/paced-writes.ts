import { setTimeout as wait } from 'node:timers/promises'
import type { SqlDatabase, Transaction } from './sql-database.js'

/** How long short transactions may follow one another before a pause as long, in milliseconds. */
const MAX_BURST_MS = 50

export type PacedWrite = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>

/**
 * Makes many short transactions one after another, of which none is urgent, with pauses between them: the lock is not handed on
 * in the order of asking, so that others may miss every moment without a transaction.
 * @returns makes one write, and then pauses if it is time
 */
export function pacedWrites(database: SqlDatabase): PacedWrite {
  let burst = 0
  return async (work) => {
    const began = performance.now()
    const result = await database.write(work)
    burst += performance.now() - began
    if (burst >= MAX_BURST_MS) {
      await wait(Math.min(burst, 4 * MAX_BURST_MS))
      burst = 0
    }
    return result
  }
}
