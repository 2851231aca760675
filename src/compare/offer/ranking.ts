import { minOf, round6, sum } from '../../core/numbers.js'
import { CRITERIA, type Criterion, type Settings } from '../../core/settings.js'
import { yearOf } from '../date-math.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import type { OfferReport } from './offer-report-model.js'
import type { Scores } from './scores.js'

type Points = Record<Criterion, number>
type Weights = Readonly<Points>

/** Facts a listing can state that count as evidence (`ListingQuality.factsStated`). */
export const EVIDENCE_FACTS = 6

/** A ranked offer. */
export type RankedOffer = OfferReport & { scores: Scores; rank: number; priceRank: number }
export const isRanked = (offer: OfferReport): offer is RankedOffer => offer.rank !== null && offer.scores !== null

/**
 * Scores and ranks the eligible offers (formulas: `Scores`).
 * @returns ranked offers first, by rank; then the others, by sequence
 */
export function rankOffers(offers: readonly OfferReport[], rfq: RfqTerms, asOfDate: string, settings: Settings) {
  const eligible = offers.filter((offer) => offer.eligibility.eligible)
  const lowest = minOf(eligible.map((offer) => offer.compared.price))
  const scored = eligible.map((offer) => {
    const scores = scoresOf(offer, rfq, lowest ?? 0, asOfDate, settings)
    scores.total = totalScore(scores, settings.weights) ?? 0
    return { ...offer, scores }
  })
  const ranks = ranksOf(scored, (offer) => -offer.scores.total)
  const priceRanks = ranksOf(scored, (offer) => offer.compared.price ?? 0)
  const ranked = scored.map((offer, at) => ({ ...offer, rank: ranks[at] ?? 0, priceRank: priceRanks[at] ?? 0 }))
  const others = offers.filter((offer) => !offer.eligibility.eligible)
  return [...ranked.sort((a, b) => a.rank - b.rank), ...others.sort((a, b) => a.sequence - b.sequence)]
}

/** The scores by criterion; the total is still 0. */
function scoresOf(offer: OfferReport, rfq: RfqTerms, lowest: number, asOfDate: string, settings: Settings): Scores {
  const { metrics, compared, listing } = offer
  return {
    price: priceScore(lowest, compared.price ?? 0),
    coverage: coverageScore(metrics.coverage, rfq.wanted.volume),
    delivery: rfq.fulfilmentDueDate === null ? 100 : 100 * (metrics.onTimeShare ?? 0),
    promptness: metrics.meanWaitDays === null ? 0 : 100 / (1 + Math.max(0, metrics.meanWaitDays) / settings.waitDays),
    vintage: vintageScore(metrics.meanVintageYear, yearOf(asOfDate), settings.vintagePointsPerYear),
    payment: metrics.prepaidShare === null ? 0 : 100 * (1 - Math.min(1, metrics.prepaidShare)),
    evidence: (100 * listing.factsStated) / EVIDENCE_FACTS,
    total: 0,
  }
}

/** 100 × lowest / own. */
export const priceScore = (lowest: number, own: number): number => (own > 0 ? (100 * lowest) / own : 0)

/** 100 × coverage; 100 if no volume is wanted. */
export const coverageScore = (coverage: number | null, wanted: number | null): number =>
  wanted === null ? 100 : 100 * (coverage ?? 0)

function vintageScore(meanYear: number | null, asOfYear: number, pointsPerYear: number): number {
  return meanYear === null ? 0 : Math.max(0, 100 - pointsPerYear * Math.max(0, asOfYear - meanYear))
}

/** ROUND(SUMPRODUCT(weights, scores) / SUM(weights), 6); null if the weights add up to 0. */
export function totalScore(points: Readonly<Points>, weights: Weights): number | null {
  const weight = sum(CRITERIA.map((criterion) => weights[criterion]))
  if (weight <= 0) return null
  return round6(sum(CRITERIA.map((criterion) => weights[criterion] * points[criterion])) / weight)
}

/** The rank of each item, lowest key first, ties to the lower sequence: RANK + COUNTIFS(key equal, sequence lower). */
export function ranksOf<T extends { sequence: number }>(items: readonly T[], key: (item: T) => number): number[] {
  const order = items.map((_, at) => at)
  const keys = items.map(key)
  order.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || (items[a]?.sequence ?? 0) - (items[b]?.sequence ?? 0))
  const ranks = new Array<number>(items.length).fill(0)
  for (const [rank, at] of order.entries()) ranks[at] = rank + 1
  return ranks
}
