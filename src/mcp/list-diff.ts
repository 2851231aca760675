import type { ListDiff } from '../core/sources/sources.js'

/** Offers that an answer names; its sentence has their number. */
const MAX_OFFERS = 20

/** What a newer list says of an RFQ, small enough for an answer. */
export const truncateListDiff = <Listed extends Pick<ListDiff, 'removedOffers' | 'addedOffers'>>(
  listed: Listed | null,
): Listed | null =>
  listed && {
    ...listed,
    removedOffers: listed.removedOffers.slice(0, MAX_OFFERS),
    addedOffers: listed.addedOffers.slice(0, MAX_OFFERS),
  }
