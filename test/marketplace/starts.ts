import fc from 'fast-check'
import type { Caller } from '../../src/marketplace/rate-limiter.js'

/** How many starts a request asks for at once: two for a close. */
export const TOGETHER = fc.constantFrom(1, 1, 2)

/**
 * When the starts of one admission count, in milliseconds: now; but where the limit has room for only one at a time, the earlier ones were
 * waited for before.
 */
export function paidAt(now: number, together: number, perSecond: number): number[] {
  const apart = perSecond < 2 ? 1000 / perSecond : 0
  return Array.from({ length: together }, (_, index) => now - (together - 1 - index) * apart)
}

/** A session that nothing cancels. */
export const newCaller = (): Caller => ({ signal: new AbortController().signal })
