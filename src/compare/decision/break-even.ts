import { round6 } from '../../core/numbers.js'
import { formatChange, formatPricePerTonne } from '../../core/text/number-format.js'
import type { AwardProblem, Rivals } from '../awards/award-problem.js'
import { breakEvenCost } from '../awards/award-rule.js'
import type { Award, BreakEven } from './decision-model.js'

/**
 * The prices up to which awarded offers stay in the award, those with the most tonnes first; without those that stay at any price. They are
 * known for quoted prices only.
 */
export const breakEvensOf = (award: Award, rivals: readonly Rivals[], problem: AwardProblem): BreakEven[] =>
  problem.settings.priceBasis === 'quoted'
    ? rivals.flatMap((each) => breakEvenOf(each, award.offers.length, problem))
    : []

function breakEvenOf(
  { candidate, search }: Rivals,
  awarded: number,
  { context, rfq, settings }: AwardProblem,
): BreakEven[] {
  const cost = breakEvenCost(candidate.tonnes, search, settings.awardTolerance)
  if (cost === null) return []
  const max = settings.requirements.priceMax === 'hard' ? rfq.comparedMaxUnitPrice : null
  const limit = cost === 'any' ? null : round6(cost / candidate.tonnes)
  const isCapped = max !== null && (limit === null || max < limit)
  const price = isCapped ? max : limit
  if (price === null) return []
  const pricePerTonne = candidate.total / candidate.tonnes
  const name = awarded === 1 ? 'It' : context.nameOf(candidate.offer)
  const why = isCapped ? ", the RFQ's maximum" : ''
  const change = formatChange(price / pricePerTonne - 1)
  return [
    {
      offerId: candidate.offer.id,
      pricePerTonne,
      breakEvenPricePerTonne: price,
      message: `${name} stays in the award up to ${formatPricePerTonne(isCapped ? price : cents(price), context.currency)} (${change})${why}.`,
    },
  ]
}

/** Rounded down to cents: an offer stays at the price that is shown. */
const cents = (price: number) => (price < 1 ? price : Math.floor(price * 100 + 1e-6) / 100)
