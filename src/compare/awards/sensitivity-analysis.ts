import { minOf, ratio, round6, sum } from '../../core/numbers.js'
import { CRITERIA, type Criterion, type Settings } from '../../core/settings.js'
import { coverageOf, presentValueOf } from '../offer/metrics.js'
import { coverageScore, priceScore, type RankedOffer, ranksOf, totalScore } from '../offer/ranking.js'
import type { AwardsForVolume } from './award-model.js'
import { type BreakEven, type CaseRanking, NO_BREAK_EVEN, type Sensitivity } from './sensitivity-model.js'

/** Maximum number of contenders; a larger grid is not readable. */
export const SENSITIVITY_LIMIT = 30
export const WEIGHT_SHIFTS = [-20, -10, 10, 20] as const
export const DISCOUNT_RATES = [0, 0.025, 0.05, 0.075, 0.1, 0.125, 0.15] as const

type Points = Readonly<Record<Criterion, number>>

/**
 * Sensitivity of the ranking to weights, discount rate, wanted volume and price.
 * @param byWanted the awards for each wanted volume, already solved
 */
export function sensitivityOf(
  ranked: readonly RankedOffer[],
  byWanted: readonly AwardsForVolume[],
  settings: Settings,
): Sensitivity {
  const contenders = ranked.slice(0, SENSITIVITY_LIMIT)
  return {
    contenders: contenders.map(({ id, label }) => ({ offerId: id, label })),
    limit: SENSITIVITY_LIMIT,
    outOf: ranked.length,
    words: scopeText(ranked.length),
    weightShifts: CRITERIA.flatMap((criterion) =>
      WEIGHT_SHIFTS.map((shift) => shiftWeight(contenders, criterion, shift, settings)),
    ),
    discountRates: DISCOUNT_RATES.map((rate) => discountAt(contenders, rate, settings)),
    wantedVolumes: byWanted.map((each) => volumeCase(contenders, each, settings)),
    breakEven: contenders.map((offer, at) => breakEvenOf(offer, contenders.toSpliced(at, 1), settings.weights)),
  }
}

function scopeText(ranked: number): string {
  if (ranked <= SENSITIVITY_LIMIT) return 'All ranked offers are included.'
  return `Limited to the ${SENSITIVITY_LIMIT} best of ${ranked} ranked offers; ranks are among these.`
}

/** The order of contenders, given the points of each. */
function rankCase(contenders: readonly RankedOffer[], points: readonly Points[], weights: Points): CaseRanking {
  const totals = points.map((one) => totalScore(one, weights))
  if (totals.includes(null)) {
    return { totals, ranks: totals.map(() => null), winner: null, changed: false }
  }
  const scored = contenders.map(({ sequence }, at) => ({ sequence, total: totals[at] ?? 0 }))
  const ranks = ranksOf(scored, ({ total }) => -total)
  const winner = contenders[ranks.indexOf(1)]?.id ?? null
  return { totals, ranks, winner, changed: winner !== (contenders[0]?.id ?? null) }
}

function shiftWeight(contenders: readonly RankedOffer[], criterion: Criterion, shift: number, settings: Settings) {
  const weights = { ...settings.weights, [criterion]: Math.max(0, settings.weights[criterion] + shift) }
  const order = rankCase(
    contenders,
    contenders.map(({ scores }) => scores),
    weights,
  )
  return { criterion, shift, weights, ...order }
}

function discountAt(contenders: readonly RankedOffer[], rate: number, { weights }: Settings) {
  const prices = contenders.map((offer) => comparedPriceAt(offer, rate))
  const lowest = minOf(prices) ?? 0
  const points = contenders.map(({ scores }, at) => ({ ...scores, price: priceScore(lowest, prices[at] ?? 0) }))
  const priced = contenders.map(({ sequence }, at) => ({ sequence, price: prices[at] ?? 0 }))
  return { rate, prices, priceRanks: ranksOf(priced, ({ price }) => price), ...rankCase(contenders, points, weights) }
}

/** `compared.price` at another discount rate. */
export function comparedPriceAt(offer: RankedOffer, rate: number): number {
  const { metrics, compared } = offer
  const perTonne = ratio(presentValueOf(offer, metrics, rate), metrics.volume) ?? 0
  return round6((perTonne / (1 - metrics.haircut)) * (compared.rate ?? 0))
}

function volumeCase(
  contenders: readonly RankedOffer[],
  { basis, wanted, awards }: AwardsForVolume,
  settings: Settings,
) {
  const coverages = contenders.map(({ metrics }) => coverageOf(metrics.volume, wanted) ?? 0)
  const points = contenders.map(({ scores }, at) => ({
    ...scores,
    coverage: coverageScore(coverages[at] ?? 0, wanted),
  }))
  const { tonnes, total, blendedPrice, reached, exact } = awards['cheapest-combination']
  const combination = { tonnes, total, blendedPrice, reached, exact }
  return { basis, wanted, coverages, combination, ...rankCase(contenders, points, settings.weights) }
}

/** Formulas: `BreakEven`. */
function breakEvenOf(offer: RankedOffer, others: readonly RankedOffer[], weights: Points): BreakEven {
  const price = offer.compared.price ?? 0
  const { breakEven, reason } = breakEvenPrice(offer, others, weights)
  const lowestOther = minOf(others.map(({ compared }) => compared.price))
  return {
    offerId: offer.id,
    label: offer.label,
    rank: offer.rank,
    price,
    breakEvenPrice: breakEven,
    breakEvenPricePerTonne: breakEven === null ? null : ((offer.compared.pricePerTonne ?? 0) * breakEven) / price,
    change: breakEven === null ? null : breakEven / price - 1,
    reason,
    lowestOther,
    lead: lowestOther === null ? null : leadOf(others, offer, weights, lowestOther),
  }
}

export type BreakEvenResult = { breakEven: number; reason: null } | { breakEven: null; reason: string }
const noBreakEven = (reason: string): BreakEvenResult => ({ breakEven: null, reason })

/**
 * The `compared.price` at or below which an offer scores at least as much as each rival. Formulas: `BreakEven`.
 * @param lowest the lowest price among all other ranked offers; default: that of the rivals
 */
export function breakEvenPrice(
  offer: RankedOffer,
  others: readonly RankedOffer[],
  weights: Points,
  lowest: number | null = minOf(others.map(({ compared }) => compared.price)),
): BreakEvenResult {
  const maxPricePoints = weights.price * 100
  const own = withoutPrice(offer, weights)
  const rivals = others.map((other) => ({ points: withoutPrice(other, weights), price: other.compared.price ?? 0 }))
  if (lowest === null || rivals.length === 0) return noBreakEven(NO_BREAK_EVEN.onlyOffer)
  if (maxPricePoints === 0) return noBreakEven(NO_BREAK_EVEN.priceHasNoWeight)
  const ahead = leadOf(others, offer, weights, lowest)
  if (ahead <= 0) return noBreakEven(NO_BREAK_EVEN.firstAtAnyPrice)
  const high = (maxPricePoints * lowest) / ahead
  if (high >= lowest) return { breakEven: high, reason: null }
  const low = Math.min(
    lowest,
    ...rivals.map(({ points, price }) => ((own + maxPricePoints - points) * price) / maxPricePoints),
  )
  return low > 0 ? { breakEven: low, reason: null } : noBreakEven(NO_BREAK_EVEN.neverFirst)
}

/** B − A of `BreakEven`: how far the others are ahead if the offer earns no points for its price. */
function leadOf(others: readonly RankedOffer[], offer: RankedOffer, weights: Points, lowest: number): number {
  const points = others.map(
    (other) => withoutPrice(other, weights) + (100 * weights.price * lowest) / (other.compared.price ?? 1),
  )
  return Math.max(...points) - withoutPrice(offer, weights)
}

/** Σ weight × score, without price. */
export const withoutPrice = ({ scores }: Pick<RankedOffer, 'scores'>, weights: Points): number =>
  sum(CRITERIA.filter((criterion) => criterion !== 'price').map((criterion) => weights[criterion] * scores[criterion]))
