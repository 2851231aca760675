import { breakEvenPrice } from '../awards/sensitivity-analysis.js'
import type { CaseRanking, Sensitivity } from '../awards/sensitivity-model.js'
import {
  formatChange,
  formatCount,
  formatOneDecimal,
  formatPercent,
  formatPricePerTonne,
  formatTonnes,
  formatTotal,
} from '../number-format.js'
import { minOf } from '../numbers.js'
import { CRITERION_NAMES } from '../offer/criterion-text.js'
import { isRanked, type RankedOffer } from '../offer/ranking.js'
import type { AwardRule, RequirementLevel, RequirementName, Settings, WantedBasis } from '../settings.js'
import { type AwardContext, amountsText, awardOf, numbered, offersText, shownFailures } from './award-figures.js'
import { REQUIREMENT_TITLES } from './award-requirements.js'
import { type AwardSolver, type Candidate, namesIn, type RequirementMask, type Solution } from './award-solver.js'
import { closestAward } from './closest-award.js'
import type {
  AwardBreakEven,
  AwardedOffer,
  ClosestAward,
  DecisionAward,
  Recommendation,
  RequirementCost,
  RunnerUp,
} from './decision-model.js'
import { inDays } from './negotiation.js'
import { totalThreshold } from './price-targets.js'

/** Maximum number of sentences in each list. */
export const MAX_SENTENCES = 12
/** Awarded offers for which a break-even price and an alternative are computed, the largest totals first. */
export const BREAK_EVEN_LIMIT = 12

export interface RecommendationInput {
  solver: AwardSolver
  context: AwardContext
  hard: RequirementMask
  settings: Settings
  ranked: readonly RankedOffer[]
  sensitivity: Sensitivity
  costs: readonly RequirementCost[]
  /** Offers that cannot be awarded at all, in words. */
  excluded: readonly string[]
  /** Questions by offer ID. */
  questionsOf: (offerId: string) => string[]
}

export const RULE_TEXT: Record<AwardRule, { title: string; words: string }> = {
  'cheapest-compliant': {
    title: 'Cheapest compliant',
    words: 'the lowest total among sets of whole offers that meet every hard requirement',
  },
  'best-score-compliant': {
    title: 'Best score compliant',
    words: 'whole offers that meet every hard requirement, in rank order until the wanted volume is reached',
  },
  'cheapest-regardless': {
    title: 'Cheapest regardless of requirements',
    words: 'the lowest total among sets of whole offers, whatever requirements they do not meet',
  },
}

/** The award that the rule of the settings chooses, and everything a person wants to know before signing. */
export function recommend(input: RecommendationInput): Recommendation {
  const { solver, context, hard, settings } = input
  const solution = solver.byRule(settings.awardRule, hard, context.wanted)
  const award = awardOf(solution, context)
  const closest = solution.reached ? null : closestOf(input)
  if (award === null) return noAward(closest, solution, input)
  const alternatives = alternativesOf(award, input)
  const runnerUp = runnerUpOf(award, alternatives, input)
  const breakEven = alternatives.map(({ awarded }) => breakEvenOf(awarded, award, input))
  const [firstWeight, firstRate] = [firstWeightOf(award, input), firstRateOf(award, input)]
  const partial = solution.reached ? [] : [partialText(award, solution, closest, context)]
  const found = { award, runnerUp, breakEven, firstWeight, firstRate, closest }
  return {
    status: solution.reached ? 'award' : 'partial',
    headline: headlineOf(award, context),
    awards: award.offers.slice(0, MAX_SENTENCES).map((offer) => awardSentence(offer, context.currency)),
    ...found,
    reasons: [...partial, ...reasonsOf(award, runnerUp, solution, input)],
    conditions: [...conditionsOf(award, input), ...closeCall(award, runnerUp, context)],
    changes: changesOf(found, input),
    questions: award.offers
      .flatMap(({ offerId }) => input.questionsOf(offerId).map((words) => ({ offerId, words })))
      .slice(0, MAX_SENTENCES),
    dependsOnScores: dependsOnScores(settings),
  }
}

/** A recommendation without an award. */
export function emptyRecommendation(
  status: Recommendation['status'],
  headline: string,
  reasons: string[],
): Recommendation {
  return {
    status,
    headline,
    reasons,
    awards: [],
    award: null,
    conditions: [],
    changes: [],
    questions: [],
    runnerUp: null,
    breakEven: [],
    firstWeight: null,
    firstRate: null,
    dependsOnScores: false,
    closest: null,
  }
}

const dependsOnScores = ({ awardRule }: Settings) => awardRule === 'best-score-compliant'

function noAward(closest: ClosestAward | null, solution: Solution, input: RecommendationInput): Recommendation {
  const { context } = input
  const why = solution.exceedsMaximum
    ? `Each eligible offer alone exceeds the RFQ's maximum of ${formatTonnes(context.rfq.maxVolume ?? 0)}.`
    : 'No offer meets every hard requirement.'
  return {
    ...emptyRecommendation('none', 'No award satisfies the hard requirements.', [why, ...input.excluded]),
    changes: closest === null ? [] : [closest.words],
    closest,
  }
}

const awardSentence = (offer: AwardedOffer, currency: string) =>
  `Award ${numbered(offer)}: ${amountsText(offer, currency)}.`

function headlineOf(award: DecisionAward, { currency }: AwardContext): string {
  const [only, ...others] = award.offers
  if (only !== undefined && others.length === 0) return awardSentence(only, currency)
  return `Award ${offersText(award)}: ${amountsText(award, currency)}.`
}

function partialText(
  award: DecisionAward,
  { exceedsMaximum, exact }: Solution,
  closest: ClosestAward | null,
  { wanted, rfq }: AwardContext,
): string {
  const [target, max] = [formatTonnes(wanted), formatTonnes(rfq.maxVolume ?? 0)]
  const short = exceedsMaximum
    ? `No set of eligible whole offers ${exact ? '' : 'that was found '}lies between the wanted ${target} and the RFQ's maximum of ${max}: this is the largest below.`
    : `The eligible offers do not reach the wanted ${target}: ${formatTonnes(wanted - award.tonnes)} are missing.`
  return closest === null ? `${short} Waiving requirements does not help.` : `${short} ${closest.words}`
}

// --- why ------------------------------------------------------------------------------------------------------------

function reasonsOf(
  award: DecisionAward,
  runnerUp: RunnerUp | null,
  solution: Solution,
  { context, settings, solver, hard, ranked, excluded }: RecommendationInput,
): string[] {
  const { currency } = context
  const rule = RULE_TEXT[settings.awardRule]
  const eligible = settings.awardRule === 'cheapest-regardless' ? solver.candidates : solver.eligible(hard)
  const proof = solution.exact
    ? ''
    : ` Not proven optimal; lower bound on cost: ${formatTotal(solution.lowerBound ?? 0, currency)}.`
  return [
    `${rule.title}: ${rule.words}; ${eligible.length} of ${formatCount(solver.candidates.length, 'offer')} considered.${proof}`,
    coverageText(award, context),
    ...scoreText(award, ranked),
    runnerUp?.words ?? 'There is no runner-up: no other award reaches the wanted volume under this rule.',
    ...excluded,
  ]
}

function coverageText(award: DecisionAward, { wanted, rfq, currency }: AwardContext): string {
  const covered = `Covers ${formatPercent(award.coverage ?? 0)} of the wanted ${formatTonnes(wanted)} (${BASIS_TEXT[rfq.wanted.basis]})`
  if (award.excessTonnes <= wanted * 1e-9) return `${covered}.`
  return `${covered} and ${formatTonnes(award.excessTonnes)} more, which cost ${formatTotal(award.excessCost, currency)}, because offers are taken whole.`
}

const BASIS_TEXT: Record<WantedBasis, string> = {
  min: "the RFQ's minimum",
  mid: "midpoint of the RFQ's range",
  max: "the RFQ's maximum",
}

function scoreText(award: DecisionAward, ranked: readonly RankedOffer[]): string[] {
  if (award.score === null) return ['It has no score, because not every offer in it is ranked.']
  const points = formatOneDecimal(award.score)
  const [only, another] = award.offers
  if (another !== undefined) return [`Mean score ${points} of 100, weighted by tonnes.`]
  const rank = ranked.find(({ id }) => id === only?.offerId)?.rank ?? 0
  const best = ranked[0]
  const instead =
    rank === 1 || best === undefined
      ? ''
      : `; rank 1 is ${best.label} (offer ${best.sequence}) with ${formatOneDecimal(best.scores.total)}`
  return [`Score ${points} of 100, rank ${rank} of ${ranked.length}${instead}.`]
}

interface Alternative {
  awarded: Candidate
  solution: Solution
}

/** The award without each awarded offer in turn. */
function alternativesOf(award: DecisionAward, { solver, settings, hard, context }: RecommendationInput): Alternative[] {
  const ids = new Set(award.offers.map(({ offerId }) => offerId))
  return solver.candidates
    .filter(({ offer }) => ids.has(offer.id))
    .sort((a, b) => b.cost - a.cost)
    .slice(0, BREAK_EVEN_LIMIT)
    .map((awarded) => ({
      awarded,
      solution: solver.byRule(settings.awardRule, hard, context.wanted, awarded),
    }))
}

function runnerUpOf(
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
  const [next] = reaching.sort((a, b) => preference(a.other, b.other))
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
      : `costs ${formatTotal(Math.abs(costDifference), currency)} ${costDifference > 0 ? 'more' : 'less'} (${formatChange(costDifference / award.total)})`
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

function closeCall(award: DecisionAward, runnerUp: RunnerUp | null, { currency }: AwardContext): string[] {
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

// --- what is conditional --------------------------------------------------------------------------------------------

function conditionsOf(award: DecisionAward, { solver, context, settings }: RecommendationInput): string[] {
  const members = new Map(solver.candidates.map((candidate) => [candidate.offer.id, candidate]))
  const several = award.offers.length > 1
  const sentences = award.offers.flatMap((offer) => {
    const candidate = members.get(offer.offerId)
    if (candidate === undefined) return []
    const who = several ? `${numbered(offer)}: ` : ''
    const unmet = shownFailures(candidate, context.levels).map(
      ({ name, words }) => `${who}${levelText(name, context.levels[name], settings.awardRule)}${words}`,
    )
    return [...unmet, ...expiryText(candidate).map((words) => `${who}${words}`)]
  })
  const whole = award.unmet
    .filter(({ offerIds }) => offerIds.length === 0)
    .map(({ name, level, words }) => `${levelText(name, level, settings.awardRule)}${words}`)
  const all = [...whole, ...sentences]
  if (all.length <= MAX_SENTENCES) return all
  return [
    ...all.slice(0, MAX_SENTENCES - 1),
    `${all.length - MAX_SENTENCES + 1} more conditions on the other awarded offers.`,
  ]
}

/** Only `cheapest-regardless` awards what does not meet a hard requirement. */
function levelText(name: RequirementName, level: RequirementLevel, rule: AwardRule): string {
  if (level === 'hard') return rule === 'cheapest-regardless' ? 'Hard requirement not met: ' : ''
  return name === 'reviewNotRejected' ? 'Waived by the settings: ' : ''
}

function expiryText({ offer }: Candidate): string[] {
  const { daysToExpiry, expiryDate } = offer.terms
  if (offer.status === 'accepted' || (daysToExpiry !== null && daysToExpiry < 0)) return []
  if (daysToExpiry === null) return ['The offer states no expiry date.']
  return [`The offer expires ${inDays(daysToExpiry)}, on ${expiryDate}.`]
}

// --- what would change it -------------------------------------------------------------------------------------------

function breakEvenOf(awarded: Candidate, award: DecisionAward, input: RecommendationInput): AwardBreakEven {
  const { context, settings } = input
  const { offer } = awarded
  const pricePerTonne = offer.compared.pricePerTonne ?? 0
  const base = { offerId: offer.id, label: offer.label, pricePerTonne }
  const name = award.offers.length === 1 ? 'It' : `Offer ${offer.sequence}`
  const { price, why } = dependsOnScores(settings)
    ? scoreBreakEven(offer, award, input)
    : priceBreakEven(awarded, input)
  if (price === null) {
    return {
      ...base,
      breakEvenPricePerTonne: null,
      change: null,
      words: `${name} stays in the award at any price: ${why}.`,
    }
  }
  const change = price / pricePerTonne - 1
  const words = `${name} stays in the award up to ${formatPricePerTonne(price, context.currency)} (${formatChange(change)})${why}.`
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

/** Against the best-ranked eligible offer that is not awarded. */
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
    .filter(({ id }) => !awarded.has(id))
    .sort((a, b) => a.rank - b.rank)[0]
  if (rival === undefined) return { price: null, why: 'no other ranked offer is eligible' }
  const lowest = minOf(ranked.flatMap(({ id, compared }) => (id === offer.id ? [] : [compared.price])))
  const { breakEven, reason } = breakEvenPrice(offer, [rival], settings.weights, lowest)
  if (breakEven === null) return { price: null, why: reason.replace(/\.$/, '').toLowerCase() }
  const { price, pricePerTonne } = offer.compared
  return {
    price: ((pricePerTonne ?? 0) * breakEven) / (price ?? 1),
    why: `, where ${rival.label} (offer ${rival.sequence}) overtakes it`,
  }
}

function firstWeightOf(award: DecisionAward, input: RecommendationInput): Recommendation['firstWeight'] {
  const cases = [...input.sensitivity.weightShifts].sort((a, b) => Math.abs(a.shift) - Math.abs(b.shift))
  const found = firstChange(award, cases, input)
  if (found === null) return null
  const { criterion, shift } = found.first
  const sign = shift > 0 ? '+' : '−'
  const words = `Weight of ${CRITERION_NAMES[criterion].toLowerCase()} ${sign}${Math.abs(shift)}: ${offersText(found.award)} instead.`
  return { criterion, shift, offerIds: found.offerIds, words }
}

function firstRateOf(award: DecisionAward, input: RecommendationInput): Recommendation['firstRate'] {
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

function changesOf(
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
  return (['min', 'mid', 'max'] as const).flatMap((basis) => {
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

// --- the closest award ----------------------------------------------------------------------------------------------

function closestOf({ solver, context, hard }: RecommendationInput): ClosestAward | null {
  const closest = closestAward(solver, hard, context.wanted)
  const award = closest === null ? null : awardOf(closest.solution, context)
  if (closest === null || award === null || closest.waived === 0) return null
  const waived = namesIn(closest.waived).map((name) => ({ name, title: REQUIREMENT_TITLES[name] }))
  const names = waived.map(({ title }) => `“${title}”`).join(' and ')
  const reach = award.reached ? '' : `, which reaches only ${formatPercent(award.coverage ?? 0)} of the wanted volume`
  const words = `Closest: ${offersText(award)}, ${amountsText(award, context.currency)}${reach}; ${names} would have to be waived.`
  return { award, waived, words }
}
