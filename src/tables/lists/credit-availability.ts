import { parseStoredListing } from '../../compare/input/stored-documents.js'
import { availabilityOf, otherClaims, shortagesOf } from '../../compare/offer/availability.js'
import type { ViewSource } from '../source.js'
import type { RfqRow } from './rfq-row.js'

/**
 * Finds RFQs with an awarded or recommended offer of which the listing has fewer credits than this offer and others claim. Such conditions
 * across RFQs are computed on reading.
 * @throws StoreError
 */
export async function beyondAvailability({ store }: ViewSource, rows: readonly RfqRow[]): Promise<Set<RfqRow>> {
  const claims = rows.length === 0 ? [] : await store.creditClaims()
  const beyond = new Set<RfqRow>()
  for (const channel of new Set(rows.map((row) => row.channel))) {
    const shown = new Map(rows.flatMap((row) => (row.channel === channel ? [[row.id, row]] : [])))
    const own = claims.filter(
      (claim) => claim.channel === channel && shown.has(claim.rfqId) && claim.kind !== 'accepted',
    )
    const available = await readAvailability(store, channel, [...new Set(own.map(({ listingId }) => listingId))])
    const offers = new Map(own.map((claim) => [`${claim.rfqId}\t${claim.offerId}`, claim])).values()
    for (const { rfqId, offerId: id, listingId } of offers) {
      const [row, listed] = [shown.get(rfqId), available.get(listingId)]
      if (row === undefined || beyond.has(row) || listed === undefined) continue
      const lines = own.filter((line) => line.rfqId === rfqId && line.offerId === id)
      const others = otherClaims(claims, { id, listingId }, { channel, rfqId })
      if (shortagesOf(lines, listed, others).length > 0) beyond.add(row)
    }
  }
  return beyond
}

async function readAvailability(store: ViewSource['store'], channel: string, ids: string[]) {
  const listings = ids.length === 0 ? [] : (await store.listings({ channel, ids })).map(parseStoredListing)
  return new Map(
    listings.flatMap(({ id, document, missingSince }) =>
      document === null || missingSince !== null ? [] : [[id, availabilityOf(document)]],
    ),
  )
}
