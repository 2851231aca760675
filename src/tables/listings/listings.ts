import { z } from 'zod'
import { parseStored } from '../../core/documents/observation.js'
import type { KnownDocument } from '../../core/records.js'
import { searchTextOf, searchWords } from '../../core/text/search-words.js'
import { bodyOf, documentBody, observation, observationOf } from '../document.js'
import { channelKey, nullableNumber, nullableText, text } from '../schema.js'
import type { ViewSource } from '../source.js'

const listingTerms = {
  channel: channelKey,
  id: text,
  projectName: nullableText,
  organizationName: nullableText,
  country: nullableText,
  registry: nullableText,
  registryId: nullableText,
  currency: nullableText,
  minUnitPrice: nullableNumber,
  maxUnitPrice: nullableNumber,
  totalAvailableVolume: nullableNumber,
  ...observation,
}
export const listingItem = z.strictObject(listingTerms).meta({ id: 'ListingItem' })
export type ListingItem = z.infer<typeof listingItem>

export const listingDetail = z.strictObject({ ...listingTerms, ...documentBody }).meta({ id: 'Listing' })
export type ListingDetail = z.infer<typeof listingDetail>

export interface ListingFilter {
  channel?: string
  asOf?: Date
  ids?: readonly string[]
  /** Words that its project, developer, country, registry and id contain, all of them. */
  search?: string
  /** Its document changed after this moment. */
  changedSince?: Date
}

export interface ListingSource {
  store: Pick<ViewSource['store'], 'listings'>
}

/** Project listings. */
export const listingViews = ({ store }: ListingSource) => ({
  async listings({ changedSince, search = '', ...filter }: ListingFilter): Promise<ListingItem[]> {
    const words = searchWords(search)
    return (await store.listings(filter))
      .map(itemOf)
      .filter(
        (item) =>
          (changedSince === undefined || new Date(item.observedAt) > changedSince) &&
          (words.length === 0 || words.every((word) => searchTextOfListing(item).includes(word))),
      )
  },
  /** Null if the channel has no such listing. */
  async listing({ id, ...filter }: { channel: string; id: string; asOf?: Date }): Promise<ListingDetail | null> {
    const [found] = await store.listings({ ...filter, ids: [id] })
    return found === undefined ? null : { ...itemOf(found), ...bodyOf(found) }
  },
})

const searchTextOfListing = ({ projectName, organizationName, country, registry, registryId, id }: ListingItem) =>
  searchTextOf(projectName, organizationName, country, registry, registryId, id)

function itemOf(listing: KnownDocument): ListingItem {
  const { document } = parseStored('listing', listing.shape, listing.body)
  return {
    channel: listing.channel,
    id: listing.id,
    projectName: document?.projectName ?? null,
    organizationName: document?.organizationName ?? null,
    country: document?.country ?? null,
    registry: document?.registry ?? null,
    registryId: document?.registryId ?? null,
    currency: document?.pricing?.currency ?? null,
    minUnitPrice: document?.pricing?.minUnitPrice ?? null,
    maxUnitPrice: document?.pricing?.maxUnitPrice ?? null,
    totalAvailableVolume: document?.totalAvailableVolume?.value ?? null,
    ...observationOf(listing),
  }
}
