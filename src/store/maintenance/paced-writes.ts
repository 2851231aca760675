import { setTimeout as wait } from 'node:timers/promises'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'

/** How long short transactions may hold the lock before a pause as long, in milliseconds. */
const MAX_BURST_MS = 50

export type PacedWrite = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>

/**
 * Makes many short transactions one after another, of which none is urgent, with pauses between them: the lock is not handed on
 * in the order of asking, so that others may miss every moment without a transaction. Only the time of their work counts: while
 * one waits for its turn, or for its flush to disk, others can write.
 * @returns makes one write, and then pauses if it is time
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
