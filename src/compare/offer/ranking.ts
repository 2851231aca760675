import { CRITERIA, type Criterion, type Settings } from '../../core/decision/settings.js'
import { minOf, round6, sum } from '../../core/numbers.js'
import { yearOf } from '../date-math.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { isComparable } from './eligibility.js'
import type { OfferReport, Scores } from './offer-report-model.js'

type Points = Record<Criterion, number>
type Weights = Readonly<Points>

/** Facts a listing can state that count as evidence (`ListingQuality.factsStated`). */
export const EVIDENCE_FACTS = 6

/** An offer that competes. */
export type RankedOffer = OfferReport & { scores: Scores; rank: number }
export const isRanked = (offer: OfferReport): offer is RankedOffer => offer.rank !== null && offer.scores !== null

/** Whether the marketplace shows the offer as accepted. */
export const isAccepted = ({ status }: Pick<OfferReport, 'status'>): boolean => status === 'accepted'

/** Whether the offer can be compared, and is open or accepted: only these are scored. */
export const isScored = (offer: Pick<OfferReport, 'exclusions' | 'status'>): boolean =>
  isAccepted(offer) ? isComparable(offer.exclusions) : offer.exclusions.length === 0

/** An offer whose standing is not determined yet. */
type Unranked = Omit<OfferReport, 'standing' | 'why' | 'scores' | 'rank'>

/**
 * Scores the offers that can be compared and are open or accepted (formulas: `Scores`), and ranks those that compete.
 * @returns accepted offers first, then those that compete by rank, then the others by sequence
 */
export function rankOffers(
  offers: readonly Unranked[],
  rfq: RfqTerms,
  asOfDate: string,
  settings: Settings,
): OfferReport[] {
  const lowest = minOf(offers.filter(isScored).map((offer) => offer.compared.presentValuePerTonne)) ?? 0
  const assessed = offers.map((offer) => {
    const scores = isScored(offer) ? scoresOf(offer, rfq, lowest, asOfDate, settings) : null
    return { ...offer, scores, ...standingOf(offer), rank: null as number | null }
  })
  const competing = assessed.filter(({ standing }) => standing === 'ranked')
  const byScore = settings.awardRule === 'best-score'
  const ranks = ranksOf(competing, ({ scores, compared }) =>
    byScore ? -(scores?.total ?? 0) : (compared.costPerTonne ?? 0),
  )
  for (const [at, offer] of competing.entries()) offer.rank = ranks[at] ?? null
  const place = ({ standing, rank }: (typeof assessed)[number]) =>
    standing === 'accepted' ? 0 : (rank ?? Number.POSITIVE_INFINITY)
  return assessed.sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)) || a.sequence - b.sequence)
}

function standingOf(offer: Unranked): Pick<OfferReport, 'standing' | 'why'> {
  if (isAccepted(offer)) return { standing: 'accepted', why: 'The offer is accepted.' }
  if (offer.exclusions.length > 0)
    return { standing: 'excluded', why: offer.exclusions.map(({ message }) => message).join(' ') }
  const hard = offer.unmet.filter(({ level }) => level === 'hard')
  if (hard.length > 0) return { standing: 'not-compliant', why: hard.map(({ message }) => message).join(' ') }
  return { standing: 'ranked', why: null }
}

function scoresOf(
  { metrics, compared, listing }: Unranked,
  rfq: RfqTerms,
  lowest: number,
  asOfDate: string,
  { waitDays, vintagePointsPerYear, weights }: Settings,
): Scores {
  const points: Points = {
    price: priceScore(lowest, compared.presentValuePerTonne ?? 0),
    coverage: coverageScore(metrics.coverage, rfq.window.lower),
    delivery: rfq.fulfilmentDueDate === null ? 100 : 100 * (metrics.onTimeShare ?? 0),
    promptness: metrics.meanWaitDays === null ? 0 : 100 / (1 + Math.max(0, metrics.meanWaitDays) / waitDays),
    vintage: vintageScore(metrics.meanVintageYear, yearOf(asOfDate), vintagePointsPerYear),
    payment: metrics.prepaidShare === null ? 0 : 100 * (1 - Math.min(1, metrics.prepaidShare)),
    evidence: (100 * listing.factsStated) / EVIDENCE_FACTS,
  }
  return { ...points, total: totalScore(points, weights) ?? 0 }
}

/** 100 × lowest / own. */
const priceScore = (lowest: number, own: number): number => (own > 0 ? (100 * lowest) / own : 0)

/** 100 × coverage; 100 if no volume is requested. */
const coverageScore = (coverage: number | null, wanted: number | null): number =>
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
