import type { Timestamp } from '../core/time/clock.js'
import type { Awards } from '../store/contract.js'
import { type Anchor, AnchorError } from './anchor.js'

export type AwardLog = Pick<Awards, 'awardChainEntry' | 'awardChainLength'>

/**
 * The newest award and its hash, for an anchor.
 * @throws AnchorError if the log is not intact
 */
export async function awardLogHead(store: AwardLog): Promise<{ awards: number; awardsHash: string }> {
  const awards = await store.awardChainLength()
  const head = await store.awardChainEntry(awards)
  if (head === null) throw new AnchorError('The award log changed while it was read. Try again.')
  return { awards, awardsHash: head.hash }
}

/** An award may be dated this much before an anchor that does not cover it: it was just being recorded, or clocks differed. */
const TOLERANCE_MS = 10 * 60_000

/**
 * Creates a check for backdated awards: an award that an anchor does not cover must not be dated before the anchor.
 * @returns a function that describes a backdated award; null if there is none
 */
export async function createBackdatingCheck(
  store: AwardLog,
): Promise<(anchor: Pick<Anchor, 'awards' | 'at'>) => string | null> {
  // earliest[n] is the award with the earliest date among n and all later ones.
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
 * Explains why the award log does not contain the newest award of an anchor; null if it does.
 * @param brokenAt the first broken row of the log; null if none is known
 */
export async function findAwardMismatch(
  { awards, awardsHash, at }: Pick<Anchor, 'awards' | 'awardsHash' | 'at'>,
  store: AwardLog,
  brokenAt: number | null,
): Promise<string | null> {
  if (awards === undefined) return null
  if (brokenAt !== null && awards >= brokenAt) return `the award log is broken at award ${brokenAt}`
  const entry = await store.awardChainEntry(awards)
  if (entry?.hash === awardsHash) return null
  return entry === null
    ? `award ${awards} is missing: awards were removed after ${at}, or an older backup was restored`
    : `the hash of award ${awards} differs from the anchor: the award log was rewritten after ${at}, or an older backup was restored and has been written to since`
}
