import type { KnownDocument } from '../../core/records.js'
import type { LastSummaries, LastSummary } from '../../core/sources/offer-sources.js'
import { parseStoredRfq } from './stored-documents.js'

/**
 * Finds the offers that the RFQ showed as accepted until they went missing from it: what was read of them may be older.
 * @param responses of one RFQ
 * @param rfqAsOf reads the RFQ as known at a moment; called once for each moment at which offers went missing
 */
export async function findLastSummaries(
  responses: readonly Pick<KnownDocument, 'id' | 'missingSince'>[],
  rfqAsOf: (moment: Date) => Promise<KnownDocument | undefined>,
): Promise<LastSummaries> {
  const found = new Map<string, LastSummary>()
  for (const since of new Set(responses.flatMap(({ missingSince }) => missingSince ?? []))) {
    const stored = await rfqAsOf(new Date(Date.parse(since) - 1))
    // Parsing takes longest, and few RFQs have an accepted offer.
    const rfq = stored?.bodyText.includes('accepted') ? parseStoredRfq(stored) : null
    if (rfq?.shape !== 'full' || rfq.document === null) continue
    const ids = new Set(responses.flatMap(({ id, missingSince }) => (missingSince === since ? [id] : [])))
    for (const summary of rfq.document.responses) {
      if (ids.has(summary.id) && summary.status === 'accepted')
        found.set(summary.id, { summary, observedAt: rfq.observedAt })
    }
  }
  return found
}
