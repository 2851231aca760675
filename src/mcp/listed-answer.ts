import type { ListedChanges } from '../core/sources/sources.js'

/** Offers that an answer names; its sentence has their number. */
const MAX_OFFERS = 20

/** What a newer list says of an RFQ, small enough for an answer. */
export const boundedListed = <Listed extends Pick<ListedChanges, 'offersGone' | 'offersNew'>>(
  listed: Listed | null,
): Listed | null =>
  listed && {
    ...listed,
    offersGone: listed.offersGone.slice(0, MAX_OFFERS),
    offersNew: listed.offersNew.slice(0, MAX_OFFERS),
  }
