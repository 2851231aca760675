import { AWARD_RULES, type AwardRule, PRICE_BASES, type PriceBasis } from '../../core/decision/settings.js'
import { plausibleOrNull, positiveOrNull } from '../../core/numbers.js'
import { formatChange, formatPricePerTonne } from '../../core/text/number-format.js'
import { awardOf, type Candidate, isSameAward, joined, offersText, priceText } from '../awards/award-figures.js'
import { type AwardProblem, awardByBasis, awardByRule, awardOfLots, MANY_OFFERS } from '../awards/award-problem.js'
import { breakEvenCost } from '../awards/award-rules.js'
import type { Award, BreakEven, Choice } from './decision-model.js'

/** The rules as they are named in sentences. */
export const RULE_TEXT: Record<AwardRule, string> = {
  'lowest-price': 'lowest price per tonne',
  'lowest-cost': 'lowest total cost',
  'best-score': 'best score',
}

/** The price bases as they are named in sentences. */
export const PRICED_BY: Record<PriceBasis, string> = {
  quoted: 'quoted prices',
  'present-value': 'present values',
}

/** Awarded offers with a price up to which they stay: each takes two searches. */
const MAX_BREAK_EVENS = 8
/** The same with more than FEW_OFFERS. */
const MAX_BREAK_EVENS_OF_MANY = 2
const FEW_OFFERS = 100

/**
 * The prices up to which awarded offers stay in the award, those with the most tonnes first. They are known for the price rules and quoted
 * prices only.
 */
export function breakEvensOf(award: Award, problem: AwardProblem): BreakEven[] {
  const { settings, competing } = problem
  const { awardRule: rule } = settings
  if (rule === 'best-score' || settings.priceBasis !== 'quoted' || competing.length > MANY_OFFERS) return []
  const ids = new Set(award.offers.map(({ id }) => id))
  const awarded = competing.filter(({ offer }) => ids.has(offer.id)).sort((a, b) => b.tonnes - a.tonnes)
  const max = competing.length > FEW_OFFERS ? MAX_BREAK_EVENS_OF_MANY : MAX_BREAK_EVENS
  return awarded.slice(0, max).flatMap((one) => breakEvenOf(one, awarded.length, rule, problem))
}

function breakEvenOf(
  candidate: Candidate,
  awarded: number,
  rule: Exclude<AwardRule, 'best-score'>,
  { competing, range, context, rfq, settings }: AwardProblem,
): BreakEven[] {
  if (range === null) return []
  const lots = competing.filter((one) => one !== candidate)
  const cost = breakEvenCost(candidate.tonnes, { lots, range }, rule)
  // A single offer that is larger than the range.
  if (cost === null) return []
  const max = settings.requirements.priceMax === 'hard' ? rfq.comparedMaxUnitPrice : null
  const limit = cost === 'any' ? null : cost / candidate.tonnes
  const isCapped = max !== null && (limit === null || max < limit)
  const price = isCapped ? max : limit
  const pricePerTonne = candidate.total / candidate.tonnes
  const name = awarded === 1 ? 'It' : context.nameOf(candidate.offer)
  const base = { offerId: candidate.offer.id, pricePerTonne, breakEvenPricePerTonne: price }
  const needed = 'without it, no award reaches the requested volume'
  if (price === null) return [{ ...base, message: `${name} stays in the award at any price: ${needed}.` }]
  const why = isCapped ? `, the RFQ's maximum${limit === null ? `; ${needed}` : ''}` : ''
  const change = formatChange(price / pricePerTonne - 1)
  return [
    {
      ...base,
      message: `${name} stays in the award up to ${formatPricePerTonne(price, context.currency)} (${change})${why}.`,
    },
  ]
}

/** What leads to an award: another rule, or another price basis. */
export interface Alternative {
  /** `lowest total cost`, `present values`. */
  by: string
  /** Null if it does not reach the requested volume. */
  award: Award | null
}

/** The awards by the other rules and price bases. */
export function alternativesOf(problem: AwardProblem): Alternative[] {
  const { settings, context, competing } = problem
  const found = [
    ...AWARD_RULES.filter((rule) => rule !== settings.awardRule).map((rule) => ({
      by: RULE_TEXT[rule],
      chosen: awardByRule(problem, rule),
    })),
    ...(competing.length > MANY_OFFERS ? [] : PRICE_BASES.filter((basis) => basis !== settings.priceBasis)).map(
      (basis) => ({
        by: PRICED_BY[basis],
        chosen: awardByBasis(problem, basis),
      }),
    ),
  ]
  return found.flatMap(({ by, chosen }) => (chosen?.reached ? [{ by, award: awardOf(chosen.lots(), context) }] : []))
}

/** Maximum number of waived requirements that are named, the cheapest first. */
const MAX_WAIVED = 2

/** What would change the award, one sentence each; what leads to the same award is one sentence. */
export function changesOf(
  award: Award | null,
  breakEvens: readonly BreakEven[],
  alternatives: readonly Alternative[],
  choices: readonly Choice[],
  problem: AwardProblem,
): string[] {
  const others: { award: Award; by: string[] }[] = []
  for (const { by, award: other } of award === null ? [] : alternatives) {
    if (other === null || isSameAward(other, award)) continue
    const known = others.find((each) => isSameAward(each.award, other))
    if (known === undefined) others.push({ award: other, by: [by] })
    else known.by.push(by)
  }
  const waived = choices.filter(({ kind }) => kind === 'waived').slice(0, MAX_WAIVED)
  const divided = choices.filter(({ kind }) => kind === 'divided')
  return [
    ...breakEvens.map(({ message }) => message),
    ...others.map((other) => `By ${joined(other.by)}: ${offersText(other.award.offers)}, ${priceText(other.award)}.`),
    ...(award === null ? [] : statedFigures(award, problem)),
    ...[...waived, ...divided].map(({ title, award: other }) => `${title}, ${priceText(other)}.`),
  ]
}

/** Maximum number of self-contradicting offers examined: the first by rank. */
const MAX_CONTRADICTORY = 3

/** Another award, if what an offer states holds rather than its delivery lines. */
function statedFigures(award: Award, problem: AwardProblem): string[] {
  const { competing, settings, context } = problem
  if (settings.awardRule === 'best-score' || settings.priceBasis !== 'quoted' || competing.length > MANY_OFFERS)
    return []
  const contradictory = competing.filter(({ offer: { metrics } }) =>
    [metrics.volumeVerdict, metrics.totalVerdict].includes('differs'),
  )
  const first = contradictory.sort((a, b) => (a.offer.rank ?? 0) - (b.offer.rank ?? 0)).slice(0, MAX_CONTRADICTORY)
  return first.flatMap((one) => {
    const stated = asStated(one)
    const found = awardOfLots(
      problem,
      competing.map((each) => (each === one ? stated : each)),
    )
    if (!found?.reached) return []
    const other = awardOf(found.lots(), context)
    const ids = new Set(award.offers.map(({ id }) => id))
    if (other.offers.length === ids.size && other.offers.every(({ id }) => ids.has(id))) return []
    const figures = priceText(awardOf([stated], context))
    const held = `If the volume and total that ${context.nameOf(one.offer)} states hold (${figures}), not its delivery lines`
    return [`${held}, the award is ${offersText(other.offers)}, ${priceText(other)}.`]
  })
}

/** The offer with its stated volume and total, where it states them. */
function asStated(one: Candidate): Candidate {
  const { terms, compared } = one.offer
  const tonnes = positiveOrNull(plausibleOrNull(terms.statedVolume)) ?? one.tonnes
  const stated = positiveOrNull(plausibleOrNull(terms.statedTotal))
  const total = stated === null ? one.total : stated * (compared.rate ?? 1)
  return { ...one, tonnes, total, cost: total }
}
