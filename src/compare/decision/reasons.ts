import type { PriceBasis, Settings } from '../../core/decision/settings.js'
import { sum } from '../../core/numbers.js'
import { formatOneDecimal, formatPercent, formatTonnes } from '../../core/text/number-format.js'
import {
  awardOf,
  type Candidate,
  formatDerivedPrice,
  isSameAward,
  offersText,
  priceText,
} from '../awards/award-figures.js'
import { type AwardProblem, awardOfLots, MANY_OFFERS } from '../awards/award-problem.js'
import { cheapestPerTonne, reaching, searchAwards, without } from '../awards/award-rules.js'
import { type AwardSet, upTo } from '../awards/efficient-awards.js'
import type { Award } from './decision-model.js'

/** Maximum number of sentences on why the award was chosen. */
const MAX_REASONS = 4

/** Why the award: each sentence compares it with an alternative that it beats, per tonne or by the price of extra tonnes. */
export function reasonsOf(award: Award, reached: boolean, problem: AwardProblem): string[] {
  const first = firstRanked(award, problem)
  if (!reached) return [shortfall(problem), ...sentence(first)].slice(0, MAX_REASONS)
  const rival = rivalOf(award, problem)
  const known = [first?.award ?? null, rival.award]
  return [
    ...sentence(first),
    rival.message,
    ...otherEnd(award, known, problem),
    ...bestScored(award, known, problem),
  ].slice(0, MAX_REASONS)
}

/** A sentence, and the award that it compares with. */
interface Reason {
  message: string
  award: Award | null
}
const sentence = (reason: Reason | null): string[] => (reason === null ? [] : [reason.message])

/** The sets of other offers, the empty one among them, that complete an offer within the range. */
function completions(candidate: Candidate, { competing, range }: AwardProblem): AwardSet<Candidate>[] {
  if (range === null) return []
  const rest = without(range, candidate.tonnes)
  if (rest.upper < 0) return []
  const none = rest.lower === 0 ? [{ tonnes: 0, cost: 0, lots: () => [] }] : []
  return [
    ...none,
    ...reaching(
      searchAwards(
        competing.filter((one) => one !== candidate),
        rest,
      ),
    ),
  ]
}

/** Why the offer that ranks first is not part of the award. */
function firstRanked(award: Award, problem: AwardProblem): Reason | null {
  const { competing, range, context, settings } = problem
  const first = competing.find(({ offer }) => offer.rank === 1)
  if (first === undefined || range === null || award.offers.some(({ id }) => id === first.offer.id)) return null
  const place = settings.awardRule === 'best-score' ? 'first by score' : 'first by price'
  const name = `${context.nameOf(first.offer)}, ${place} (${priceText(awardOf([first], context))}), is not part of it:`
  if (first.tonnes > upTo(range.upper)) return { message: `${name} ${atMostText(problem)}`, award: null }
  const withFirst = completions(first, problem).map((set) => ({
    tonnes: set.tonnes + first.tonnes,
    cost: set.cost + first.cost,
    lots: set.lots,
  }))
  const best = settings.awardRule === 'lowest-cost' ? withFirst[0] : cheapestPerTonne(withFirst)
  if (best === undefined)
    return { message: `${name} with it, no award has ${rangeText(range.lower, range.upper)}.`, award: null }
  const members = [...best.lots(), first].sort((a, b) => a.offer.sequence - b.offer.sequence)
  const other = awardOf(members, context)
  const message = `${name} the best award with it, ${offersText(other.offers)}, ${comparison(award, other, settings)}.`
  return { message, award: other }
}

function atMostText({ range, rfq }: AwardProblem): string {
  const most = `at most ${formatTonnes(range?.upper ?? 0)} can be awarded`
  return rfq.window.isUpperStated ? `${most}.` : `${most}: ${rfq.window.message}`
}

/** `5,000 t to 8,000 t`, as a range of tonnes. */
function rangeText(lower: number, upper: number): string {
  if (!Number.isFinite(upper)) return `${formatTonnes(lower)} or more`
  const [from, to] = [formatTonnes(lower), formatTonnes(upper)]
  return from === to ? `exactly ${from}` : `${from} to ${to}`
}

/**
 * What an alternative is, what it costs more or less per tonne, and what the tonnes between the two cost. Totals of different tonnages are
 * not compared.
 */
function comparison(award: Award, other: Award, { awardRule, priceBasis: basis }: Settings): string {
  const difference = other.costPerTonne - award.costPerTonne
  const more = other.tonnes - award.tonnes
  const by = byBasis(basis)
  const each = (other.costPerTonne * other.tonnes - award.costPerTonne * award.tonnes) / more
  const extra = `${formatDerivedPrice(each, award.currency)}${by}`
  if (awardRule === 'lowest-cost' && more > award.tonnes * 1e-9)
    return `${priceText(other)}, has ${formatTonnes(more)} more at ${extra}`
  const share = Math.abs(difference) / award.costPerTonne
  if (share < 0.0005) return `${priceText(other)}, costs the same per tonne${by}`
  const sign = difference > 0 ? 'more' : 'less'
  const message = `${priceText(other)}, costs ${formatDerivedPrice(Math.abs(difference), award.currency)} ${sign}${by} (${formatPercent(share)})`
  // A larger award that costs less in total is better anyway.
  if (more > -award.tonnes * 1e-9 || each <= 0) return message
  return `${message}; the ${formatTonnes(-more)} that this award has more cost ${extra}`
}

/** By what a difference was computed, unless it is the quoted price. */
const byBasis = (basis: PriceBasis): string => (basis === 'quoted' ? '' : ` by ${BASIS_TEXT[basis]}`)

export const BASIS_TEXT: Record<PriceBasis, string> = {
  quoted: 'quoted price',
  'present-value': 'present value',
}

/** Awarded offers that are left out in turn, the largest first; with many offers, one. */
const MAX_LEFT_OUT = 4

/** The best award without one of the awarded offers: what the award competes with. */
function rivalOf(award: Award, problem: AwardProblem): Reason {
  const { competing, settings, context, range } = problem
  if (competing.length === 1) return { message: 'It is the only offer that competes.', award: null }
  const ids = new Set(award.offers.map(({ id }) => id))
  const awarded = competing.filter(({ offer }) => ids.has(offer.id)).sort((a, b) => b.tonnes - a.tonnes)
  const rivals = awarded.slice(0, competing.length > MANY_OFFERS ? 1 : MAX_LEFT_OUT).flatMap((left) => {
    const found = awardOfLots(
      problem,
      competing.filter((one) => one !== left),
    )
    const isWithin = found?.reached && found.tonnes <= upTo(range?.upper ?? 0)
    return isWithin ? [{ left, award: awardOf(found.lots(), context) }] : []
  })
  const measure = ({ costPerTonne, tonnes, score }: Award) =>
    ({ 'lowest-price': costPerTonne, 'lowest-cost': costPerTonne * tonnes, 'best-score': -score })[settings.awardRule]
  const [best] = rivals.sort((a, b) => measure(a.award) - measure(b.award))
  const what = awarded.length > 1 ? 'one of the offers' : 'it'
  if (best === undefined)
    return {
      message: `Without ${what}, no award has ${rangeText(range?.lower ?? 0, range?.upper ?? Number.POSITIVE_INFINITY)}.`,
      award: null,
    }
  const name = awarded.length > 1 ? context.nameOf(best.left.offer) : 'it'
  const rival = offersText(best.award.offers)
  const message =
    settings.awardRule === 'best-score'
      ? `Without ${name}, the rule chooses ${rival}, ${priceText(best.award)}.`
      : `Without ${name}, the best award, ${rival}, ${comparison(award, best.award, settings)}.`
  return { message, award: best.award }
}

const isAward = (set: AwardSet<Candidate>, award: Award, context: AwardProblem['context']) =>
  Math.abs(set.tonnes - award.tonnes) <= award.tonnes * 1e-9 && isSameAward(awardOf(set.lots(), context), award)

/** The award with the fewest tonnes, or for the rule `lowest-cost` the one with the lowest price: what the tonnes between them cost. */
function otherEnd(
  award: Award,
  known: readonly (Award | null)[],
  { search, settings, context }: AwardProblem,
): string[] {
  const within = search === null ? [] : reaching(search)
  const set = settings.awardRule === 'lowest-cost' ? cheapestPerTonne(within) : within[0]
  if (set === undefined || isAward(set, award, context)) return []
  const other = awardOf(set.lots(), context)
  if (known.some((one) => isSameAward(one, other))) return []
  const more = award.tonnes - other.tonnes
  const each = (award.costPerTonne * award.tonnes - other.costPerTonne * other.tonnes) / more
  const name = `${offersText(other.offers)} with ${priceText(other)}`
  if (each < 0) return []
  const extra = `${formatDerivedPrice(each, award.currency)}${byBasis(settings.priceBasis)}`
  return more > 0
    ? [`The lowest total is that of ${name}; the ${formatTonnes(more)} that this award has more cost ${extra}.`]
    : [`The lowest price per tonne is that of ${name}, which is ${formatTonnes(-more)} more at ${extra}.`]
}

/** Why the offer with the highest score is not part of the award, unless another sentence states it. */
function bestScored(award: Award, known: readonly (Award | null)[], problem: AwardProblem): string[] {
  const { competing, context, settings, range } = problem
  const [first] = [...competing].sort((a, b) => b.score - a.score || a.offer.sequence - b.offer.sequence)
  if (first === undefined || settings.awardRule === 'best-score' || first.offer.rank === 1) return []
  if (award.offers.some(({ id }) => id === first.offer.id)) return []
  const own = awardOf([first], context)
  const points = `${formatOneDecimal(first.score)} points, the award ${formatOneDecimal(award.score)}`
  const rule = settings.awardRule === 'lowest-cost' ? 'lowest cost' : 'lowest price'
  if (known.some((one) => isSameAward(one, own)))
    return [`${context.nameOf(first.offer)} is first by score (${points}), but the rule is the ${rule}.`]
  if (first.tonnes > upTo(range?.upper ?? 0))
    return [`${context.nameOf(first.offer)} is first by score (${points}), but ${atMostText(problem)}`]
  const difference = own.costPerTonne - award.costPerTonne
  const why =
    difference > 0
      ? `it costs ${formatDerivedPrice(difference, award.currency)} more than the award, and the rule is the ${rule}`
      : 'with it, an award within the range costs more'
  return [`${context.nameOf(first.offer)} is first by score (${points}), but ${why}.`]
}

/** What is missing if nothing reaches the range. */
function shortfall({ competing, range, settings }: AwardProblem): string {
  const { lower, upper } = range ?? { lower: 0, upper: 0 }
  const all = sum(competing.map(({ tonnes }) => tonnes))
  if (all < lower)
    return `All offers that compete have ${formatTonnes(all)} together: ${formatTonnes(lower - all)} are missing.`
  return settings.awardRule === 'best-score'
    ? `Taken by score, whole offers do not come to ${rangeText(lower, upper)}.`
    : `No set of whole offers has ${rangeText(lower, upper)}: this is the largest below.`
}
