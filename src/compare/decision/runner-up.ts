import {
  formatChange,
  formatOneDecimal,
  formatPercent,
  formatPricePerTonne,
  formatTonnes,
  formatTotal,
} from '../../core/number-format.js'
import { type AwardContext, awardOf, offersText } from './award-figures.js'
import type { AwardSolver, Candidate, Solution } from './award-solver.js'
import type { DecisionAward, RunnerUp } from './decision-model.js'
import { dependsOnScores, type RecommendationInput } from './recommendation-input.js'

const BREAK_EVEN_LIMIT = 12
/** With more offers than this, each search takes long: break-even prices and prices to negotiate are limited more. */
export const MANY_OFFERS = 1000
const BREAK_EVEN_LIMIT_FOR_MANY = 4

/** Awarded offers for which a break-even price and an alternative are computed, the largest totals first. */
export const breakEvenLimit = ({ candidates }: AwardSolver): number =>
  candidates.length > MANY_OFFERS ? BREAK_EVEN_LIMIT_FOR_MANY : BREAK_EVEN_LIMIT

export interface Alternative {
  awarded: Candidate
  solution: Solution
}

/** The award without each awarded offer in turn. */
export function alternativesOf(
  award: DecisionAward,
  { solver, settings, hard, context }: RecommendationInput,
): Alternative[] {
  const ids = new Set(award.offers.map(({ offerId }) => offerId))
  return solver.candidates
    .filter(({ offer }) => ids.has(offer.id))
    .sort((a, b) => b.cost - a.cost)
    .slice(0, breakEvenLimit(solver))
    .map((awarded) => ({
      awarded,
      solution: solver.byRule(settings.awardRule, hard, context.wanted, awarded),
    }))
}

/** The best of the alternatives that reach the wanted volume: RunnerUp. */
export function runnerUpOf(
  award: DecisionAward,
  alternatives: readonly Alternative[],
  { context, settings }: RecommendationInput,
): RunnerUp | null {
  const reaching = alternatives.flatMap(({ awarded, solution }) => {
    const other = solution.reached ? awardOf(solution, context) : null
    return other === null ? [] : [{ awarded, other }]
  })
  const preference = (a: DecisionAward, b: DecisionAward) =>
    (dependsOnScores(settings) ? (b.score ?? 0) - (a.score ?? 0) : 0) || a.total - b.total
  const [next] = reaching.sort(
    (a, b) => preference(a.other, b.other) || a.awarded.offer.sequence - b.awarded.offer.sequence,
  )
  if (next === undefined) return null
  const costDifference = next.other.total - award.total
  const pointsDifference = award.score === null || next.other.score === null ? null : award.score - next.other.score
  return {
    award: next.other,
    without: next.awarded.offer.id,
    costDifference,
    pointsDifference,
    words: runnerUpText(award, next.other, costDifference, pointsDifference, context),
  }
}

function runnerUpText(
  award: DecisionAward,
  other: DecisionAward,
  costDifference: number,
  points: number | null,
  { currency }: AwardContext,
): string {
  const money =
    costDifference === 0
      ? 'costs the same'
      : `costs ${formatTotal(Math.abs(costDifference), currency)} ${costDifference > 0 ? 'more' : 'less'} (${shareText(costDifference / award.total)})`
  const more = other.tonnes - award.tonnes
  const tonnes = Math.abs(more) < 0.005 ? '' : ` for ${formatTonnes(Math.abs(more))} ${more > 0 ? 'more' : 'less'}`
  const price = ` (${formatPricePerTonne(other.pricePerTonne ?? 0, currency)})`
  const score =
    points === null
      ? ''
      : Math.abs(points) < 0.05
        ? ' and scores the same'
        : ` and scores ${formatOneDecimal(Math.abs(points))} points ${points > 0 ? 'less' : 'more'}`
  return `The runner-up, ${offersText(other)}, ${money}${tonnes}${price}${score}.`
}

/** A runner-up that costs at most this share more is named again if it is better in another respect. */
const CLOSE_CALL = 0.05

/** Says so if the runner-up is nearly as cheap and better in another respect. */
export function closeCall(award: DecisionAward, runnerUp: RunnerUp | null, { currency }: AwardContext): string[] {
  const costs = runnerUp === null ? Number.POSITIVE_INFINITY : runnerUp.costDifference / award.total
  if (runnerUp === null || costs < 0 || costs > CLOSE_CALL) return []
  const cheaper = (runnerUp.award.pricePerTonne ?? 0) < (award.pricePerTonne ?? 0)
  const points = -(runnerUp.pointsDifference ?? 0)
  const better = [
    ...(points >= 0.05 ? [`scores ${formatOneDecimal(points)} points more`] : []),
    ...(cheaper ? [`costs less per tonne: ${formatPricePerTonne(runnerUp.award.pricePerTonne ?? 0, currency)}`] : []),
  ]
  return better.length === 0
    ? []
    : [`A close decision: the runner-up costs only ${formatPercent(costs)} more in total, and ${better.join(' and ')}.`]
}

const shareText = (share: number) => (Math.abs(share) < 0.0005 ? 'less than 0.1 %' : formatChange(share))
