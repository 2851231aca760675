import { minOf, sum } from '../../core/numbers.js'
import { coverageOf } from '../offer/metrics.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { isInPlay } from '../offer/ranking.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'

/** Statistics of the offers. Price and coverage: of those that compete or are accepted, as far as they can be compared. */
export function summariseOffers(
  offers: readonly OfferReport[],
  { window, unreadOffers }: Pick<RfqTerms, 'window' | 'unreadOffers'>,
) {
  const visible = offers.filter(({ missingSince }) => missingSince === null)
  const inPlay = offers.filter((offer) => isInPlay(offer) && offer.standing !== 'not-compliant')
  const volume = sum(inPlay.map((offer) => offer.metrics.volume ?? 0))
  return {
    /** Those that the RFQ still shows. */
    offers: visible.length,
    missing: offers.length - visible.length,
    ranked: offers.filter(({ standing }) => standing === 'ranked').length,
    lowestPrice: minOf(inPlay.map((offer) => offer.compared.pricePerTonne)),
    /** Null if no volume is requested, or offers were not read yet. */
    coverage: unreadOffers > 0 ? null : coverageOf(volume, window.lower),
  }
}

export type Summary = ReturnType<typeof summariseOffers>
