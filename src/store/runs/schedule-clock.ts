import { ageOf, type Timestamp } from '../../core/time/clock.js'
import type { ScheduleClock } from '../contract.js'
import { findMeta, setMeta } from '../sql/meta.js'
import type { SqlDatabase } from '../sql/sql-database.js'

/** When jobs last became due, and how often the clock was set back before. Stored in `meta`. */
interface StoredClock {
  newest: Timestamp
  setBacks: number
}
const CLOCK_KEY = 'schedule clock'

export const createScheduleClock = (database: SqlDatabase): ScheduleClock => ({
  clockSetBacks: (now) =>
    database.write(async (tx) => {
      await tx.lock(CLOCK_KEY)
      const text = await findMeta(tx, CLOCK_KEY)
      const before = text === null ? null : (JSON.parse(text) as StoredClock)
      const setBacks =
        (before?.setBacks ?? 0) + (before !== null && ageOf(before.newest, now) === Number.POSITIVE_INFINITY ? 1 : 0)
      await setMeta(tx, CLOCK_KEY, JSON.stringify({ newest: now.toISOString(), setBacks } satisfies StoredClock))
      return setBacks
    }),
})
