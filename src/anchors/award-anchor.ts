import type { Timestamp } from '../core/time/clock.js'
import type { Awards } from '../store/contract.js'
import { type Anchor, AnchorError } from './anchor.js'

export type AwardLog = Pick<Awards, 'awardChainEntry' | 'awardChainLength'>

/**
 * The head of the log of awards, as part of an anchor.
 * @throws AnchorError if the log is not intact
 */
export async function awardHead(store: AwardLog): Promise<{ awards: number; awardsHash: string }> {
  const awards = await store.awardChainLength()
  const head = await store.awardChainEntry(awards)
  if (head === null) throw new AnchorError('The log of awards was changed meanwhile. Try again.')
  return { awards, awardsHash: head.hash }
}

/** An award may be dated up to this much earlier than an anchor that does not include it, because it was being recorded or clocks differed. */
const TOLERANCE_MS = 10 * 60_000

/**
 * Creates a check that the awards that an anchor does not include are not dated before it.
 * @returns a function that returns what is wrong, or null
 */
export async function createDateCheck(
  store: AwardLog,
): Promise<(anchor: Pick<Anchor, 'awards' | 'at'>) => string | null> {
  // At each number, the earliest of this row and all later ones.
  const earliest: { id: number; at: Timestamp }[] = []
  for (let id = await store.awardChainLength(); id > 0; id--) {
    const { at = null } = (await store.awardChainEntry(id)) ?? {}
    const next = earliest[id + 1]
    const first = at !== null && (next === undefined || at <= next.at) ? { id, at } : next
    if (first !== undefined) earliest[id] = first
  }
  return ({ awards, at }) => {
    const first = awards === undefined ? undefined : earliest[awards + 1]
    return first === undefined || Date.parse(first.at) >= Date.parse(at) - TOLERANCE_MS
      ? null
      : `award ${first.id} is dated ${first.at}, but was not in the log when the anchor was made`
  }
}

/**
 * Why the log of awards does not contain the head in an anchor; null if it does.
 * @param brokenAt the first broken row of the log; null if none is known
 */
export async function findAwardMismatch(
  { awards, awardsHash, at }: Pick<Anchor, 'awards' | 'awardsHash' | 'at'>,
  store: AwardLog,
  brokenAt: number | null,
): Promise<string | null> {
  if (awards === undefined) return null
  if (brokenAt !== null && awards >= brokenAt) return `the log of awards is not intact: see award ${brokenAt}`
  const entry = await store.awardChainEntry(awards)
  if (entry?.hash === awardsHash) return null
  return entry === null
    ? `award ${awards} is missing: awards were removed after ${at}, or an older backup was restored`
    : `award ${awards} has another hash than when it was anchored: the log of awards was rewritten after ${at}, or an older backup was restored and used`
}
