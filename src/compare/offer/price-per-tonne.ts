import { plausibleOrNull, positiveOrNull } from '../../core/numbers.js'
import type { OfferTerms } from './offer-terms.js'

interface Offer {
  metrics: { volume: number | null; total: number | null; sumVolume: number }
  terms: OfferTerms
}

/** The tonnes of an offer, even if no price can be derived from it; null if it states none. */
export const tonnesOf = ({ metrics, terms }: Offer): number | null =>
  metrics.volume ?? positiveOrNull(plausibleOrNull(terms.statedVolume)) ?? positiveOrNull(metrics.sumVolume)

/** What an offer costs, in its own currency, even if no volume can be derived from it; null if it states no total. */
export const totalOf = ({ metrics, terms }: Offer): number | null =>
  metrics.total ?? positiveOrNull(plausibleOrNull(terms.statedTotal))
