import type { AwardTolerance, Settings } from '../../core/decision/settings.js'
import { sum } from '../../core/numbers.js'
import { formatPercent, formatPricePerTonne, formatTonnes, formatTotal } from '../../core/text/number-format.js'
import { awardOf, type Candidate, isSameAward, offersText } from '../awards/award-figures.js'
import type { AwardProblem, Rivals } from '../awards/award-problem.js'
import { type AwardSearch, bestOf, cheapestPerTonne, eligible } from '../awards/award-rule.js'
import { type AwardSet, upTo } from '../awards/efficient-awards.js'
import type { Award } from './decision-model.js'

/** Why the award: at most three sentences, each of which compares it with an alternative that it beats; none if there is no other. */
export function reasonsOf(award: Award, rivals: readonly Rivals[], problem: AwardProblem): string[] {
  const { search, competing, context, settings } = problem
  if (search === null || competing.length === 1) return []
  const isReached = award.tonnes >= search.range.lower * (1 - 1e-9)
  if (!isReached) return [shortfall(search), ...sentence(firstRanked(award, search, problem))]
  const sets = eligible(search)
  const cheapest = otherAward(award, cheapestPerTonne(sets), context)
  const lowest = otherAward(award, bestOf(sets, 'unlimited'), context)
  const [price, total] = BASIS_TEXT[settings.priceBasis]
  const limit = priceLimit(settings.awardTolerance, price)
  const rule = settings.awardTolerance === 'unlimited' ? `has the lowest ${total}` : `is ${limit}`
  const reasons = [
    ...(cheapest === null && lowest === null
      ? [{ message: `It has the lowest ${price} per tonne, and the lowest ${total}.`, award: null }]
      : []),
    ...named(cheapest, award, problem, (of, costs) => `It ${rule}; that of ${of} ${costs}.`),
    ...named(
      lowest,
      award,
      problem,
      (of, costs) => `The lowest ${total}, that of ${of}, is not ${limit}: it ${costs}.`,
    ),
    ...firstRanked(award, search, problem),
    ...withoutIt(award, rivals, problem),
  ]
  const isNew = ({ award: other }: Reason, at: number) =>
    other === null || reasons.findIndex((each) => isSameAward(each.award, other)) === at
  return sentence(reasons.filter(isNew)).slice(0, MAX_REASONS)
}
const MAX_REASONS = 3

/** A sentence, and the award that it compares with. */
interface Reason {
  message: string
  award: Award | null
}
const sentence = (reasons: readonly Reason[]): string[] => reasons.map(({ message }) => message)

/** The award of a set; null if it is the recommended one. */
function otherAward(
  award: Award,
  set: AwardSet<Candidate> | undefined,
  context: AwardProblem['context'],
): Award | null {
  const other = set === undefined ? null : awardOf(set.lots(), context)
  return isSameAward(award, other) ? null : other
}

function named(
  other: Award | null,
  award: Award,
  { settings }: AwardProblem,
  sentenceOf: (offers: string, costs: string) => string,
): Reason[] {
  if (other === null) return []
  return [{ message: sentenceOf(offersText(other.offers), comparison(award, other, settings)), award: other }]
}

/** What the lowest cost per tonne and in total are called. */
const BASIS_TEXT = { quoted: ['price', 'total'], 'present-value': ['present value', 'total present value'] } as const
const priceLimit = (tolerance: AwardTolerance, price: string): string =>
  `${typeof tolerance === 'number' && tolerance > 0 ? `within ${formatPercent(tolerance)} of ` : ''}the lowest ${price} per tonne`

/** What an alternative costs more or less, per tonne and in total: `costs 1.20 USD/t less (4 %) but 9,000 USD more in total`. */
export function comparison(award: Award, other: Award, { priceBasis: basis }: Settings): string {
  const perTonne = other.costPerTonne - award.costPerTonne
  const cost = award.costPerTonne * award.tonnes
  const total = other.costPerTonne * other.tonnes - cost
  const share = Math.abs(perTonne) / award.costPerTonne
  const [isSamePrice, isSameTotal] = [share < SAME_PRICE, Math.abs(total) < cost * SAME_PRICE]
  const by = basis === 'quoted' ? '' : ' in present value'
  if (isSamePrice && isSameTotal) return `costs the same${by}`
  const sign = (difference: number) => (difference > 0 ? 'more' : 'less')
  const each = isSamePrice
    ? 'the same per tonne'
    : `${formatPricePerTonne(Math.abs(perTonne), award.currency)} ${sign(perTonne)} (${formatPercent(share)})`
  const all = isSameTotal ? 'the same' : `${formatTotal(Math.abs(total), award.currency)} ${sign(total)}`
  const link = isSamePrice || isSameTotal || perTonne > 0 === total > 0 ? 'and' : 'but'
  return `costs${by} ${each} ${link} ${all} in total`
}
/** A smaller difference is shown as 0 %. */
const SAME_PRICE = 0.0005

/** The best award without one of the awarded offers: what the award competes with. */
function withoutIt(award: Award, rivals: readonly Rivals[], { settings, context }: AwardProblem): Reason[] {
  if (rivals.length === 0) return []
  const found = rivals.flatMap(({ candidate, search }) => {
    const best = bestOf(eligible(search), settings.awardTolerance)
    return best === undefined ? [] : [{ ...best, candidate }]
  })
  const best = bestOf(
    found.sort((a, b) => a.tonnes - b.tonnes),
    settings.awardTolerance,
  )
  const isOne = award.offers.length === 1
  if (best === undefined)
    return [{ message: `Without ${isOne ? 'it' : 'one of the offers'}, no award reaches the need.`, award: null }]
  const other = awardOf(best.lots(), context)
  const name = isOne ? 'it' : context.nameOf(best.candidate.offer)
  const message = `Without ${name}, the best award is ${offersText(other.offers)}, which ${comparison(award, other, settings)}.`
  return [{ message, award: other }]
}

/** Why the offer that ranks first is not part of the award. */
function firstRanked(award: Award, search: AwardSearch<Candidate>, problem: AwardProblem): Reason[] {
  const { competing, context, settings } = problem
  const { range } = search
  const first = competing.find(({ offer }) => offer.rank === 1)
  if (first === undefined || award.offers.some(({ id }) => id === first.offer.id)) return []
  const name = `${context.nameOf(first.offer)}, first by ${BASIS_TEXT[settings.priceBasis][0]}, is not part of it:`
  if (range.isUpperStated && first.tonnes > upTo(range.upper))
    return [{ message: `${name} at most ${formatTonnes(range.upper)} can be awarded.`, award: null }]
  const withFirst = eligible(search).filter((set) => set.lots().includes(first))
  const best = bestOf(withFirst, settings.awardTolerance)
  if (best === undefined) return [{ message: `${name} with it, no award within the limits is efficient.`, award: null }]
  const other = awardOf(best.lots(), context)
  return [
    {
      message: `${name} the best award with it, ${offersText(other.offers)}, ${comparison(award, other, settings)}.`,
      award: other,
    },
  ]
}

/** Why nothing reaches the range. */
const shortfall = ({ lots, range }: AwardSearch<Candidate>): string =>
  sum(lots.map(({ tonnes }) => tonnes)) < range.lower
    ? 'It has every offer that competes.'
    : 'No set of whole offers is within the limits: this is the largest below.'
