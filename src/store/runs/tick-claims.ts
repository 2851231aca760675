import { isInFuture, MAX_CLOCK_DIFFERENCE_MS, type Timestamp } from '../../core/time/clock.js'
import type { TickClaims } from '../contract.js'
import { findMeta, setMeta } from '../sql/meta.js'
import type { SqlDatabase } from '../sql/sql-database.js'

/** When jobs last became due, and how often the clock was set back before. Stored in `meta`. */
interface ScheduleClock {
  newest: Timestamp
  setBacks: number
}
const CLOCK_KEY = 'schedule clock'

/** Stores the newest claimed tick of each job in `meta`. */
export const createTickClaims = (database: SqlDatabase): TickClaims => ({
  claimTick: (job, tick, now) =>
    database.write(async (tx) => {
      const key = `tick ${job}`
      await tx.lock('tick', job)
      const claimed = await findMeta(tx, key)
      // A later tick was claimed before the clock was set back.
      const farAhead = new Date(now.getTime() + MAX_CLOCK_DIFFERENCE_MS).toISOString()
      if (claimed !== null && claimed >= tick.toISOString() && claimed <= farAhead) return false
      await setMeta(tx, key, tick.toISOString())
      return true
    }),
  clockSetBacks: (now) =>
    database.write(async (tx) => {
      await tx.lock(CLOCK_KEY)
      const text = await findMeta(tx, CLOCK_KEY)
      const before = text === null ? null : (JSON.parse(text) as ScheduleClock)
      const setBacks = (before?.setBacks ?? 0) + (before !== null && isInFuture(before.newest, now) ? 1 : 0)
      await setMeta(tx, CLOCK_KEY, JSON.stringify({ newest: now.toISOString(), setBacks } satisfies ScheduleClock))
      return setBacks
    }),
})
