import { countByName, median, ratio, sum } from '../../core/numbers.js'
import type { Flag } from '../flag.js'
import { coverageOf } from '../offer/metrics.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { isInPlay } from '../offer/ranking.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'

/** Statistics. Prices and volume: of the offers that compete or are accepted, as far as they can be compared. */
export interface Summary {
  /** Those that the RFQ still shows. */
  offers: number
  /** Those that it no longer shows. */
  missing: number
  ranked: number
  excluded: number
  meetRequirements: number
  late: number
  /** Of those that the RFQ still shows, by status as received (`unknown` if absent), sorted. */
  byStatus: { status: string; offers: number }[]
  /** `weightedMean` is weighted by volume: Σ total / Σ volume. All are null without such an offer. */
  price: {
    lowest: number | null
    median: number | null
    highest: number | null
    mean: number | null
    weightedMean: number | null
    /** highest − lowest. */
    spread: number | null
  }
  /** Tonnes of these offers. */
  volume: number
  /** MIN(1, volume / lower end of the window); null if no volume is requested, or if offers were not read yet. */
  coverage: number | null
  flags: FlagCounts
  changes: number
  problems: number
}

/** Statistics of the offers. */
export function summariseOffers(
  offers: readonly OfferReport[],
  { window, unreadOffers }: Pick<RfqTerms, 'window' | 'unreadOffers'>,
  counts: { changes: number; problems: number },
): Summary {
  const ranked = offers.filter(({ standing }) => standing === 'ranked').length
  const visible = offers.filter(({ inView }) => inView)
  const inPlay = offers.filter(
    (offer) => isInPlay(offer) && (offer.standing === 'ranked' || offer.standing === 'accepted'),
  )
  const volume = sum(inPlay.map((offer) => offer.metrics.volume ?? 0))
  return {
    offers: visible.length,
    missing: offers.length - visible.length,
    ranked,
    excluded: offers.length - ranked,
    meetRequirements: offers.filter((offer) => offer.meetsRequirements).length,
    late: offers.filter((offer) => offer.late === true).length,
    byStatus: countByName(visible.map(({ status }) => status ?? 'unknown')).map(([status, count]) => ({
      status,
      offers: count,
    })),
    price: prices(inPlay, volume),
    volume,
    coverage: unreadOffers > 0 ? null : coverageOf(volume, window.lower),
    flags: countFlags(offers.flatMap(({ flags }) => flags)),
    ...counts,
  }
}

function prices(offers: readonly OfferReport[], volume: number): Summary['price'] {
  const sorted = offers.map((offer) => offer.compared.pricePerTonne ?? 0).sort((a, b) => a - b)
  const [lowest, highest] = [sorted[0] ?? null, sorted.at(-1) ?? null]
  return {
    lowest,
    median: median(sorted),
    highest,
    mean: ratio(sum(sorted), sorted.length),
    weightedMean: ratio(sum(offers.map((offer) => offer.compared.total ?? 0)), volume),
    spread: lowest === null || highest === null ? null : highest - lowest,
  }
}

/** Numbers of flags. */
export interface FlagCounts {
  loud: number
  quiet: number
}

/** Counts loud and quiet flags. */
export function countFlags(flags: readonly Pick<Flag, 'loud'>[]): FlagCounts {
  const loud = flags.filter((flag) => flag.loud).length
  return { loud, quiet: flags.length - loud }
}
