import fc from 'fast-check'
import { expect } from 'vitest'
import { LATE_MS, NO_STARTS, type RequestLedger, type StartClaim } from '../../../src/core/requests/request-ledger.js'

/** Milliseconds of the ledger's clock. */
export interface LedgerRow {
  nextAt: number
  pausedUntil: number
  /** When it was last written. */
  claimedAt: number
}

/**
 * Applies one claim, as `src/store/sql/claim-starts.ts` does in SQL.
 * @param row null before the first claim
 */
export function claimStarts(row: LedgerRow | null, claim: StartClaim, now: number) {
  const { lead, cost, pausedFor } = claim
  const back = Math.max(0, (row?.claimedAt ?? now) - now)
  const dueAt = row ? row.nextAt - back : now - lead
  const pausedUntil = Math.max(now, row ? row.pausedUntil - back : now, now + pausedFor)
  const nextAt = pausedUntil > now ? dueAt : Math.max(now - LATE_MS, dueAt + lead) + cost
  return {
    row: { nextAt, pausedUntil, claimedAt: now },
    grant: { startsIn: Math.max(0, nextAt - cost - now), pausedFor: pausedUntil - now },
  }
}

/**
 * Expects that a store applies claims as `claimStarts` does, for any sequence of claims, pauses and times, backwards too.
 * @param setClock sets the clock of the ledger, in milliseconds
 */
export async function expectSameRule(
  ledgerOf: (origin: string) => RequestLedger,
  setClock: (now: number) => void,
): Promise<void> {
  const starts = fc.record({ lead: fc.nat(500), cost: fc.nat(2000), pausedFor: fc.constant(0) })
  const pause = fc.nat(5000).map((pausedFor) => ({ ...NO_STARTS, pausedFor }))
  const step = fc.record({ now: fc.nat(10_000), claim: fc.oneof({ weight: 5, arbitrary: starts }, pause) })
  let runs = 0
  const property = fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
    const ledger = ledgerOf(`https://market-${runs++}.example`)
    let row: LedgerRow | null = null
    for (const { now, claim } of steps) {
      const expected = claimStarts(row, claim, now)
      row = expected.row
      setClock(now)
      const { startsIn, pausedFor } = await ledger.claim(claim)
      expect({ startsIn, pausedFor }).toEqual(expected.grant)
    }
  })
  await fc.assert(property, { numRuns: 100 })
}
