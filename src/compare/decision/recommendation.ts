import { formatCount, formatOneDecimal, formatPercent, formatTonnes, formatTotal } from '../../core/number-format.js'
import type { WantedBasis } from '../../core/settings.js'
import type { RankedOffer } from '../offer/ranking.js'
import { breakEvenOf, changesOf, firstRateOf, firstWeightOf } from './award-changes.js'
import { conditionsOf } from './award-conditions.js'
import { type AwardContext, amountsText, awardOf, namedOffers, numbered, offersText } from './award-figures.js'
import { REQUIREMENT_TITLES } from './award-requirements.js'
import { bitOf, namesIn, type Solution } from './award-solver.js'
import { closestAward } from './closest-award.js'
import type { AwardedOffer, ClosestAward, DecisionAward, Recommendation, RunnerUp } from './decision-model.js'
import { dependsOnScores, type RecommendationInput, RULE_TEXT } from './recommendation-input.js'
import { alternativesOf, closeCall, runnerUpOf } from './runner-up.js'

/** Maximum number of sentences in each list. */
export const MAX_SENTENCES = 12

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
  const partial = solution.reached ? [] : [partialText(award, solution, closest, input)]
  const found = { award, runnerUp, breakEven, firstWeight, firstRate, closest }
  return {
    status: solution.reached ? 'award' : 'partial',
    headline: `${solution.reached ? '' : `Only ${formatPercent(award.coverage ?? 0)} of the wanted volume can be awarded. `}${headlineOf(award, context)}`,
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

function noAward(closest: ClosestAward | null, solution: Solution, input: RecommendationInput): Recommendation {
  const { context } = input
  const why = solution.exceedsMaximum
    ? `Each eligible offer alone exceeds the RFQ's maximum of ${formatTonnes(context.rfq.maxVolume ?? 0)}.`
    : 'No offer meets every hard requirement.'
  return {
    ...emptyRecommendation('none', 'No award satisfies the hard requirements.', [
      why,
      ...failureCounts(input),
      ...input.excluded,
    ]),
    changes: [...(closest === null ? [] : [closest.words]), ...partialWaivers(closest, input)],
    closest,
  }
}

/** How many offers do not meet each hard requirement. */
function failureCounts({ solver, hard }: RecommendationInput): string[] {
  const counts = namesIn(hard).flatMap((name) => {
    const failing = solver.candidates.filter(({ failedMask }) => (failedMask & bitOf(name)) !== 0).length
    return failing === 0 ? [] : [`“${REQUIREMENT_TITLES[name]}” by ${failing} of ${solver.candidates.length}`]
  })
  return counts.length === 0 ? [] : [`Not met: ${counts.join(', ')}.`]
}

/** What waiving each requirement alone gives, even if it does not reach the wanted volume. */
function partialWaivers(closest: ClosestAward | null, { costs }: RecommendationInput): string[] {
  const named = closest?.waived.length === 1 ? closest.waived[0]?.name : undefined
  return costs.flatMap(({ name, award, words }) => (award === null || name === named ? [] : [words]))
}

const awardSentence = (offer: AwardedOffer, currency: string) =>
  `Award ${numbered(offer)}: ${amountsText(offer, currency)}.`

function headlineOf(award: DecisionAward, { currency }: AwardContext): string {
  const [only, ...others] = award.offers
  if (only !== undefined && others.length === 0) return awardSentence(only, currency)
  return `Award ${namedOffers(award)}: ${amountsText(award, currency)}.`
}

function partialText(
  award: DecisionAward,
  { exceedsMaximum, exact }: Solution,
  closest: ClosestAward | null,
  { context, settings }: RecommendationInput,
): string {
  const { wanted, rfq } = context
  const [target, max] = [formatTonnes(wanted), formatTonnes(rfq.maxVolume ?? 0)]
  const range =
    target === max
      ? `has exactly the wanted ${target}, which is also the RFQ's maximum`
      : `lies between the wanted ${target} and the RFQ's maximum of ${max}`
  const short = !exceedsMaximum
    ? `The eligible offers do not reach the wanted ${target}: ${formatTonnes(wanted - award.tonnes)} are missing.`
    : dependsOnScores(settings)
      ? `Taking offers by rank does not reach the wanted ${target} within the RFQ's maximum of ${max}.`
      : `No set of eligible whole offers ${exact ? '' : 'that was found '}${range}: this is the largest below.`
  return `${short} ${closest?.words ?? 'Waiving requirements does not help.'}`
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

/** The wanted volume in a sentence. */
export const BASIS_TEXT: Record<WantedBasis, string> = {
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

function closestOf({ solver, context, settings, hard }: RecommendationInput): ClosestAward | null {
  const applied = settings.awardRule === 'cheapest-regardless' ? 0 : hard
  const closest = closestAward(solver, applied, context.wanted)
  const award = closest === null ? null : awardOf(closest.solution, context)
  if (closest === null || award === null || (closest.waived === 0 && !award.reached)) return null
  const waived = namesIn(closest.waived).map((name) => ({ name, title: REQUIREMENT_TITLES[name] }))
  const names = waived.map(({ title }) => `“${title}”`).join(' and ')
  const reach = award.reached ? '' : `, which reaches only ${formatPercent(award.coverage ?? 0)} of the wanted volume`
  const what = waived.length === 0 ? 'the rule “Cheapest compliant” chooses it' : `${names} would have to be waived`
  const words = `Closest: ${offersText(award)}, ${amountsText(award, context.currency)}${reach}; ${what}.`
  return { award, waived, words }
}
