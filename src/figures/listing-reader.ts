import { parseStoredListing } from '../compare/input/stored-documents.js'
import { type ListingQuality, listingQuality } from '../compare/offer/listing-quality.js'
import { comparableId } from '../core/documents/identifier.js'
import type { History } from '../store/contract.js'

/** Reads the listings of a channel that offers name, by their `comparableId`. Each reader is for one moment; default: the present. */
type ListingReader = (
  store: Pick<History, 'listings'>,
  channel: string,
  ids: string[],
  asOf?: Date,
) => Promise<Map<string, ListingQuality>>

/** A reader that keeps what it read: listings that have not changed since are not read again. */
export function createListingReader(): ListingReader {
  const channels = new Map<string, Map<string, ListingQuality>>()
  return async (store, channel, ids, asOf) => {
    const kept = channels.get(channel) ?? new Map<string, ListingQuality>()
    channels.set(channel, kept)
    const known = ids.flatMap((id) => stateOf(kept.get(comparableId(id))))
    for (const stored of await store.listings({ channel, ids, known, ...(asOf && { asOf }) })) {
      const listing = parseStoredListing(stored)
      kept.set(listing.id, listingQuality(listing))
    }
    return kept
  }
}

const stateOf = ({ source = null, missingSince = null }: Partial<ListingQuality> = {}) =>
  source === null ? [] : `${source.id} ${source.version} ${missingSince ?? ''}`
