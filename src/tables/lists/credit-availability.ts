import { parseStoredListing } from '../../compare/input/stored-documents.js'
import { availabilityOf, otherClaims, shortagesOf } from '../../compare/offer/availability.js'
import type { ListSource } from '../list.js'
import type { RfqRow } from './rfq-row.js'

/**
 * Finds RFQs with an awarded or recommended offer of which the listing has fewer credits than this offer and others claim. Such conditions
 * across RFQs are computed on reading.
 * @throws StoreError
 */
export async function beyondAvailability({ store }: ListSource, rows: readonly RfqRow[]): Promise<Set<RfqRow>> {
  const beyond = new Set<RfqRow>()
  for (const channel of new Set(rows.map((row) => row.channel))) {
    const own = new Map(rows.flatMap((row) => (row.channel === channel && isClaiming(row) ? [[row.id, row]] : [])))
    if (own.size === 0) continue
    for (const id of await findBeyond(store, channel, [...own.keys()])) {
      const row = own.get(id)
      if (row !== undefined) beyond.add(row)
    }
  }
  return beyond
}

const isClaiming = ({ figures: { decision, undecided }, state, standing }: RfqRow) =>
  decision !== null && decision.basis !== 'accepted' && (state === 'open' || undecided || standing !== null)

async function findBeyond(
  store: ListSource['store'],
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
