import { parseStoredListing } from '../compare/input/stored-documents.js'
import { type ListingQuality, listingQuality } from '../compare/offer/listing-quality.js'
import { comparableId } from '../core/documents/identifier.js'
import type { KnownDocument } from '../core/records.js'
import type { History } from '../store/contract.js'

/** Reads the listings of a channel that offers name, by their `comparableId`; default: the current ones. */
export type ListingReader = (channel: string, ids: string[], asOf?: Date) => Promise<Map<string, ListingQuality>>

const qualitiesOf = (stored: readonly KnownDocument[]): Map<string, ListingQuality> =>
  new Map(stored.map(parseStoredListing).map((listing) => [listing.id, listingQuality(listing)]))

/** A reader that keeps the current listings that it read: those that have not changed since are not read again. */
export function createListingReader(store: Pick<History, 'listings'>): ListingReader {
  const channels = new Map<string, Map<string, ListingQuality>>()
  return async (channel, ids, asOf) => {
    if (asOf !== undefined) return qualitiesOf(await store.listings({ channel, ids, asOf }))
    const kept = channels.get(channel) ?? new Map<string, ListingQuality>()
    channels.set(channel, kept)
    const known = ids.flatMap((id) => stateOf(kept.get(comparableId(id))))
    for (const [id, quality] of qualitiesOf(await store.listings({ channel, ids, known }))) kept.set(id, quality)
    return kept
  }
}

const stateOf = ({ source = null, missingSince = null }: Partial<ListingQuality> = {}) =>
  source === null ? [] : `${source.id} ${source.version} ${missingSince ?? ''}`
