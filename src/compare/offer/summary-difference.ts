import { compareDocuments } from '../../core/changes/compare-documents.js'
import { describeChanges } from '../../core/changes/describe-changes.js'
import type { ResponseSummary } from '../../core/documents/observation.js'
import type { Timestamp } from '../../core/time/clock.js'
import type { OfferFacts } from './offer-terms.js'

/** What the summary of an offer in its RFQ says otherwise than the offer itself. */
export interface SummaryDifference {
  /** More differs than the status. */
  hasOtherTerms: boolean
  /** When the RFQ was first read so. */
  observedAt: Timestamp
  /** Both values of each member. */
  message: string
}

/**
 * Compares the summary of an offer in the newest read of its RFQ with the terms that were read of the offer itself (docs/POLLING.md, "The
 * summary and the offer"). Absent and null members are not compared.
 * @param observedAt when the RFQ was first read so
 * @returns null if they say the same
 */
export function summaryDifference(
  summary: ResponseSummary,
  { status, terms }: OfferFacts,
  observedAt: Timestamp,
): SummaryDifference | null {
  const { contractType, currency, statedVolume: totalVolume, statedTotal: totalPrice, expiryDate } = terms
  const offer = { status, totalPrice, totalVolume, currency, expiryDate, contractType }
  const names = (Object.keys(offer) as (keyof typeof offer)[]).filter(
    (name) => summary[name] != null && offer[name] !== null,
  )
  // Nearly all say the same, and comparing documents takes far longer.
  if (names.every((name) => summary[name] === offer[name])) return null
  const stated = (of: ResponseSummary | typeof offer) => ({
    shape: 'summary' as const,
    body: Object.fromEntries(names.map((name) => [name, of[name]])),
  })
  const changes = compareDocuments(stated(summary), stated(offer))
  if (changes.length === 0) return null
  const differences = describeChanges(stated(summary), stated(offer), observedAt).join(' ')
  return {
    hasOtherTerms: changes.some(({ field }) => field !== 'status'),
    observedAt,
    message: `The summary in the RFQ differs from the offer itself: ${differences}`,
  }
}
