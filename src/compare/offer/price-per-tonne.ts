import { plausibleOrNull, positiveOrNull } from '../../core/numbers.js'
import type { DeliveryLine, OfferTerms } from './offer-terms.js'

interface Offer {
  metrics: { volume: number | null; total: number | null; sumVolume: number }
  terms: OfferTerms
}

/** The tonnes of an offer, even if no price can be derived from it; null if it states none. */
export const tonnesOf = ({ metrics, terms }: Offer): number | null =>
  metrics.volume ?? positiveOrNull(plausibleOrNull(terms.statedVolume)) ?? positiveOrNull(metrics.sumVolume)

/** As `tonnesOf`, but null if they are those of the lines and one of these states none. */
export const allTonnesOf = (offer: Offer & { lines: readonly DeliveryLine[] }): number | null => {
  const isKnown = offer.metrics.volume !== null || positiveOrNull(plausibleOrNull(offer.terms.statedVolume)) !== null
  return isKnown || offer.lines.every(({ volume }) => volume !== null) ? tonnesOf(offer) : null
}

/** What an offer costs, in its own currency, even if no volume can be derived from it; null if it states no total. */
export const totalOf = ({ metrics, terms }: Offer): number | null =>
  metrics.total ?? positiveOrNull(plausibleOrNull(terms.statedTotal))
