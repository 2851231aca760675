import { formatChange, formatPercent, formatPricePerTonne, formatTonnes } from '../../core/number-format.js'
import { minOf } from '../../core/numbers.js'
import { WANTED_BASES, type WantedBasis } from '../../core/settings.js'
import { breakEvenPrice } from '../awards/sensitivity-analysis.js'
import type { CaseRanking } from '../awards/sensitivity-model.js'
import { CRITERION_NAMES } from '../offer/criterion-text.js'
import { isRanked } from '../offer/ranking.js'
import { amountsText, awardOf, offersText } from './award-figures.js'
import type { Candidate, Solution } from './award-solver.js'
import type { AwardBreakEven, DecisionAward, Recommendation } from './decision-model.js'
import { totalThreshold } from './price-targets.js'
import { dependsOnScores, type RecommendationInput } from './recommendation-input.js'

/** The price up to which an awarded offer keeps its place: AwardBreakEven. */
export function breakEvenOf(awarded: Candidate, award: DecisionAward, input: RecommendationInput): AwardBreakEven {
  const { context, settings } = input
  const { offer } = awarded
  const pricePerTonne = offer.compared.pricePerTonne ?? 0
  const base = { offerId: offer.id, label: offer.label, pricePerTonne }
  const byScore = dependsOnScores(settings)
  const { price, why } = byScore ? scoreBreakEven(offer, award, input) : priceBreakEven(awarded, input)
  const name = `${award.offers.length === 1 ? 'It' : `Offer ${offer.sequence}`} ${byScore ? 'keeps its place' : 'stays in the award'}`
  if (price === null) {
    return {
      ...base,
      breakEvenPricePerTonne: null,
      change: null,
      words: `${name} at any price: ${why}.`,
    }
  }
  const change = price / pricePerTonne - 1
  const words = `${name} up to ${formatPricePerTonne(price, context.currency)} (${formatChange(change)})${why}.`
  return { ...base, breakEvenPricePerTonne: price, change, words }
}

interface BreakEvenPrice {
  price: number | null
  /** Why there is no price; or a note on it. */
  why: string
}

function priceBreakEven(awarded: Candidate, { solver, settings, hard, context }: RecommendationInput): BreakEvenPrice {
  const isRegardless = settings.awardRule === 'cheapest-regardless'
  const threshold = totalThreshold(solver, awarded, isRegardless ? 0 : hard, context.wanted)
  const max = !isRegardless && context.levels.priceMax === 'hard' ? context.rfq.comparedMaxUnitPrice : null
  if (threshold.total === null) {
    return max === null
      ? { price: null, why: threshold.why }
      : { price: max, why: `, the RFQ's maximum: ${threshold.why}` }
  }
  const price = threshold.total / awarded.volume
  if (max !== null && max < price) return { price: max, why: ", the RFQ's maximum" }
  return { price, why: threshold.exact ? '' : ', approximately: not proven optimal' }
}

/** Against the best-ranked of the eligible offers that are not awarded and rank behind it. */
function scoreBreakEven(
  offer: Candidate['offer'],
  award: DecisionAward,
  { solver, hard, ranked, settings }: RecommendationInput,
): BreakEvenPrice {
  if (!isRanked(offer)) return { price: null, why: 'it is not ranked' }
  const awarded = new Set(award.offers.map(({ offerId }) => offerId))
  const rival = solver
    .eligible(hard)
    .map((candidate) => candidate.offer)
    .filter(isRanked)
    .filter(({ id, rank }) => !awarded.has(id) && rank > offer.rank)
    .sort((a, b) => a.rank - b.rank)[0]
  if (rival === undefined) return { price: null, why: 'no other eligible offer ranks behind it' }
  const lowest = minOf(ranked.flatMap(({ id, compared }) => (id === offer.id ? [] : [compared.price])))
  const { breakEven } = breakEvenPrice(offer, [rival], settings.weights, lowest)
  const name = `${rival.label} (offer ${rival.sequence})`
  if (breakEven === null) return { price: null, why: `${name} cannot overtake it` }
  const { price, pricePerTonne } = offer.compared
  return { price: ((pricePerTonne ?? 0) * breakEven) / (price ?? 1), why: `, where ${name} overtakes it` }
}

/** The smallest change of a single weight, among those of the sensitivity analysis, that changes the award. */
export function firstWeightOf(award: DecisionAward, input: RecommendationInput): Recommendation['firstWeight'] {
  const cases = [...input.sensitivity.weightShifts].sort((a, b) => Math.abs(a.shift) - Math.abs(b.shift))
  const found = firstChange(award, cases, input)
  if (found === null) return null
  const { criterion, shift } = found.first
  const sign = shift > 0 ? '+' : '−'
  const words = `Weight of ${CRITERION_NAMES[criterion].toLowerCase()} ${sign}${Math.abs(shift)}: ${offersText(found.award)} instead.`
  return { criterion, shift, offerIds: found.offerIds, words }
}

/** The nearest discount rate, among those of the sensitivity analysis, that changes the award. */
export function firstRateOf(award: DecisionAward, input: RecommendationInput): Recommendation['firstRate'] {
  const current = input.settings.discountRate
  const cases = [...input.sensitivity.discountRates].sort(
    (a, b) => Math.abs(a.rate - current) - Math.abs(b.rate - current),
  )
  const found = firstChange(award, cases, input)
  if (found === null) return null
  const words = `Discount rate ${formatPercent(found.first.rate)}: ${offersText(found.award)} instead.`
  return { rate: found.first.rate, offerIds: found.offerIds, words }
}

/** The first case whose ranks change the award of the best-score rule. Offers that are no contenders keep their ranks. */
function firstChange<Case extends CaseRanking>(
  award: DecisionAward,
  cases: readonly Case[],
  input: RecommendationInput,
) {
  const { solver, hard, context, sensitivity, settings } = input
  if (!dependsOnScores(settings)) return null
  const before = award.offers.map(({ offerId }) => offerId).join(' ')
  for (const first of cases) {
    const ranks = new Map(
      sensitivity.contenders.flatMap(({ offerId }, at) => {
        const rank = first.ranks[at] ?? null
        return rank === null ? [] : [[offerId, rank] as const]
      }),
    )
    const changed = awardOf(solver.bestScore(solver.eligible(hard), hard, context.wanted, ranks), context)
    const offerIds = changed?.offers.map(({ offerId }) => offerId) ?? []
    if (changed !== null && offerIds.join(' ') !== before) return { first, award: changed, offerIds }
  }
  return null
}

/** What would change the award; one sentence each. */
export function changesOf(
  {
    award,
    breakEven,
    firstWeight,
    firstRate,
  }: Pick<Recommendation, 'breakEven' | 'firstWeight' | 'firstRate'> & { award: DecisionAward },
  input: RecommendationInput,
): string[] {
  const { settings, costs } = input
  const costly = costs
    .filter(({ cost }) => cost !== null && cost > 0)
    .sort((a, b) => (b.cost ?? 0) - (a.cost ?? 0))
    .slice(0, 3)
  return [
    ...breakEven.map(({ words }) => words),
    ...(dependsOnScores(settings)
      ? [
          firstWeight?.words ?? 'No change of a single weight by up to 20 points changes the award.',
          firstRate?.words ?? 'No discount rate from 0 to 15 % changes the award.',
        ]
      : ['Weights and discount rate do not change the award: the rule compares totals.']),
    ...(settings.awardRule === 'cheapest-compliant' ? costly.map(({ words }) => words) : []),
    ...otherVolumes(award, input),
  ]
}

/** The award for each other volume that the RFQ states, if it differs. */
function otherVolumes(award: DecisionAward, { solver, settings, hard, context }: RecommendationInput): string[] {
  const before = award.offers.map(({ offerId }) => offerId).join(' ')
  const { wanted } = context.rfq
  return WANTED_BASES.flatMap((basis) => {
    const volume = wanted[basis]
    if (volume === null || volume === wanted.volume) return []
    const solution = solver.byRule(settings.awardRule, hard, volume)
    const other = awardOf(solution, { ...context, wanted: volume })
    const target = `Target: ${TARGET_TEXT[basis]}, ${formatTonnes(volume)}`
    if (other === null || !other.reached) return [`${target}: ${unreachedText(solution)}.`]
    if (other.offers.map(({ offerId }) => offerId).join(' ') === before) return []
    return [`${target}: ${offersText(other)}, ${amountsText(other, context.currency)}.`]
  })
}

const unreachedText = ({ exceedsMaximum }: Solution) =>
  exceedsMaximum ? "no set of whole offers reaches it within the RFQ's maximum" : 'not reached by the eligible offers'

const TARGET_TEXT: Record<WantedBasis, string> = {
  min: 'minimum volume',
  mid: 'midpoint volume',
  max: 'maximum volume',
}
