import { severityOf } from './flags.js'
import { coverageOf } from './metrics.js'
import type { Flag, OfferReport, Severity, Summary } from './model.js'
import { OFFER_FLAGS } from './model.js'
import { median, ratio, sum, tally } from './numbers.js'
import { isRanked, type RankedOffer } from './scores.js'

/** Statistics of the offers: model.ts, `Summary`. */
export function summaryOf(
  offers: readonly OfferReport[],
  wanted: number | null,
  counts: { changes: number; problems: number },
): Summary {
  const ranked = offers.filter(isRanked)
  const volume = sum(ranked.map((offer) => offer.metrics.volume ?? 0))
  return {
    offers: offers.length,
    ranked: ranked.length,
    excluded: offers.length - ranked.length,
    meetRequirements: offers.filter((offer) => offer.meetsRequirements).length,
    late: offers.filter((offer) => offer.late === true).length,
    byStatus: tally(offers.map(({ status }) => status ?? 'unknown')).map(([status, count]) => ({
      status,
      offers: count,
    })),
    price: prices(ranked, volume),
    volume,
    coverage: coverageOf(volume, wanted),
    bestOffer: named(ranked.find(({ rank }) => rank === 1)),
    cheapestOffer: named(ranked.find(({ priceRank }) => priceRank === 1)),
    flags: bySeverityCount(offers.flatMap(({ flags }) => flags)),
    flagCounts: flagCounts(offers),
    ...counts,
  }
}

function prices(ranked: readonly RankedOffer[], volume: number): Summary['price'] {
  const sorted = ranked.map((offer) => offer.compared.pricePerTonne ?? 0).sort((a, b) => a - b)
  const [lowest, highest] = [sorted[0] ?? null, sorted.at(-1) ?? null]
  return {
    lowest,
    median: median(sorted),
    highest,
    mean: ratio(sum(sorted), sorted.length),
    weightedMean: ratio(sum(ranked.map((offer) => offer.compared.total ?? 0)), volume),
    spread: lowest === null || highest === null ? null : highest - lowest,
  }
}

function named(offer: RankedOffer | undefined): Summary['bestOffer'] {
  if (offer === undefined) return null
  const { id, label, scores, compared } = offer
  return { id, label, score: scores.total, pricePerTonne: compared.pricePerTonne ?? 0 }
}

/** How many flags of each severity. */
export function bySeverityCount(flags: readonly Flag[]): Record<Severity, number> {
  const counts = { high: 0, medium: 0, low: 0 }
  for (const { severity } of flags) counts[severity]++
  return counts
}

function flagCounts(offers: readonly OfferReport[]): Summary['flagCounts'] {
  const counts = new Map(tally(offers.flatMap(({ flags }) => flags.map(({ code }) => code))))
  return OFFER_FLAGS.flatMap((code) => {
    const count = counts.get(code) ?? 0
    return count === 0 ? [] : [{ code, severity: severityOf(code), offers: count }]
  })
}
