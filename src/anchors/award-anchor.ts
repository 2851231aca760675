import type { Awards } from '../store/contract.js'
import type { Anchor } from './anchor.js'

export type AwardLog = Pick<Awards, 'awardChainEntry' | 'awardChainLength'>

/** The head of the log of awards, as part of an anchor; nothing of an empty log. */
export async function awardHead(store: AwardLog): Promise<Pick<Anchor, 'awards' | 'awardsHash'>> {
  const awards = await store.awardChainLength()
  const head = await store.awardChainEntry(awards)
  return awards === 0 || head === null ? {} : { awards, awardsHash: head.hash }
}

/**
 * Why the log of awards does not contain what an anchor says of it; null if it does.
 * @param brokenAt the first row of the log that does not fit; null if none is known
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
