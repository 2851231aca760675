import { MAX_CLOCK_DIFFERENCE_MS } from './clock-difference.js'
import type { TickClaims } from './contract.js'
import { findMeta, setMeta } from './meta.js'
import type { SqlDatabase } from './sql-database.js'

/** The newest tick of each job that a process claimed. Kept in `meta`. */
export const createTickClaims = (database: SqlDatabase): TickClaims => ({
  claimTick: (job, tick, now) =>
    database.write(async (tx) => {
      const key = `tick ${job}`
      await tx.lock('tick', job)
      const claimed = await findMeta(tx, key)
      // A tick far ahead was claimed before the clock was set back.
      const farAhead = new Date(now.getTime() + MAX_CLOCK_DIFFERENCE_MS).toISOString()
      if (claimed !== null && claimed >= tick.toISOString() && claimed <= farAhead) return false
      await setMeta(tx, key, tick.toISOString())
      return true
    }),
})
