import type { Timestamp } from './clock.js'
import type { ResponseSummary } from './observation.js'

/** Offers whose summaries in the RFQ changed after the offers themselves were last read. */
export interface NewerSummaries {
  /** When the RFQ was last read. */
  rfqReadAt: Timestamp
  /** The offers, each with when it was itself last read. */
  offers: { id: string; readAt: Timestamp }[]
}

/** What the RFQ last said of an offer that is missing from it since. */
export interface LastSummary {
  summary: ResponseSummary
  /** When the version of the RFQ that says so was first read. */
  observedAt: Timestamp
}

/** Of offers that are missing and that the RFQ last showed as accepted, by id. */
export type LastSummaries = ReadonlyMap<string, LastSummary>

/** What a poll keeps of an offer, as far as it says whether the summary is newer. */
interface ReadState {
  id: string
  readAt: Timestamp | null
  summaryHash: string | null
  readSummaryHash: string | null
  missingSince: Timestamp | null
}

/**
 * Finds the offers whose summaries changed since they were read: the RFQ shows another one than when the offer was read with it. A summary
 * that contradicts the offer in the same way as when both were read is not newer.
 * @param rfqReadAt when the RFQ was last read; null if it never was
 * @returns null if there are none
 */
export function newerSummariesOf(rfqReadAt: Timestamp | null, states: readonly ReadState[]): NewerSummaries | null {
  if (rfqReadAt === null) return null
  const offers = states.flatMap(({ id, readAt, summaryHash, readSummaryHash, missingSince }) => {
    if (readAt === null || missingSince !== null) return []
    const isKnown = summaryHash !== null && readSummaryHash !== null
    return isKnown && summaryHash !== readSummaryHash ? [{ id, readAt }] : []
  })
  return offers.length === 0 ? null : { rfqReadAt, offers }
}
