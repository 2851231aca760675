import { median, sum } from '../../core/numbers.js'
import type { Flag } from '../flag.js'
import { coverageOf } from '../offer/metrics.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { isInPlay } from '../offer/ranking.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'

/** Statistics of the offers. Prices and volume: of those that compete or are accepted, as far as they can be compared. */
export function summariseOffers(
  offers: readonly OfferReport[],
  { window, unreadOffers }: Pick<RfqTerms, 'window' | 'unreadOffers'>,
) {
  const ranked = offers.filter(({ standing }) => standing === 'ranked').length
  const visible = offers.filter(({ inView }) => inView)
  const inPlay = offers.filter(
    (offer) => isInPlay(offer) && (offer.standing === 'ranked' || offer.standing === 'accepted'),
  )
  const volume = sum(inPlay.map((offer) => offer.metrics.volume ?? 0))
  const prices = inPlay.map((offer) => offer.compared.pricePerTonne ?? 0).sort((a, b) => a - b)
  return {
    /** Those that the RFQ still shows. */
    offers: visible.length,
    missing: offers.length - visible.length,
    ranked,
    late: offers.filter((offer) => offer.late === true).length,
    price: { lowest: prices[0] ?? null, median: median(prices) },
    volume,
    /** Null if no volume is requested, or offers were not read yet. */
    coverage: unreadOffers > 0 ? null : coverageOf(volume, window.lower),
    flags: countFlags(offers.flatMap(({ flags }) => flags)),
  }
}

export type Summary = ReturnType<typeof summariseOffers>

/** Counts loud and quiet flags. */
function countFlags(flags: readonly Pick<Flag, 'loud'>[]) {
  const loud = flags.filter((flag) => flag.loud).length
  return { loud, quiet: flags.length - loud }
}
