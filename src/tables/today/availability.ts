import { parseStoredListing } from '../../compare/input/stored-documents.js'
import { availabilityOf, otherClaims, shortagesOf } from '../../compare/offer/availability.js'
import type { TodaySource } from './today-view.js'

/**
 * Finds RFQs of a channel with an awarded or recommended offer of which the listing has fewer credits than this offer and others claim.
 * @returns ids of RFQs
 * @throws StoreError
 */
export async function rfqsBeyondAvailability(
  store: TodaySource['store'],
  channel: string,
  rfqIds: readonly string[],
): Promise<Set<string>> {
  const claims = await store.creditClaims(channel, rfqIds)
  const asked = new Set(rfqIds)
  const own = claims.filter((claim) => claim.channel === channel && asked.has(claim.rfqId) && claim.kind !== 'accepted')
  const ids = [...new Set(own.map(({ listingId }) => listingId))]
  const listings = ids.length === 0 ? [] : (await store.listings({ channel, ids })).map(parseStoredListing)
  const available = new Map(
    listings.flatMap(({ id, document, missingSince }) =>
      document === null || missingSince !== null ? [] : [[id, availabilityOf(document)]],
    ),
  )
  const beyond = own.filter(({ rfqId, offerId: id, listingId }) => {
    const lines = own.filter((line) => line.rfqId === rfqId && line.offerId === id)
    const listed = available.get(listingId)
    return (
      listed !== undefined &&
      shortagesOf(lines, listed, otherClaims(claims, { id, listingId }, { channel, rfqId })).length > 0
    )
  })
  return new Set(beyond.map(({ rfqId }) => rfqId))
}
