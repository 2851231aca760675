import { formatChange, formatPricePerTonne } from '../../core/number-format.js'
import type { Settings } from '../../core/settings.js'
import { breakEvenPrice } from '../awards/sensitivity-analysis.js'
import { isRanked, type RankedOffer } from '../offer/ranking.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { REQUIREMENT_TITLES } from './award-requirements.js'
import { type AwardSolver, bitOf, type Candidate, maskOf, namesIn, type RequirementMask } from './award-solver.js'
import type { PriceTarget } from './decision-model.js'

/**
 * The highest total at which a candidate is part of the cheapest award. Let C be the cost of the cheapest award without it,
 * and R the lowest cost of other offers that complete it within the bounds: it is part of the cheapest award as long as
 * its total is at most C − R. Its price affects no other set, so this is exact.
 */
export type Threshold =
  | { total: number; exact: boolean; reason: null }
  /** `any`: it is needed at any price. `never`: no price suffices. */
  | { total: null; reason: 'any' | 'never'; why: string }

/** The threshold among the offers that are eligible, and the candidate itself, whether eligible or not. */
export function totalThreshold(
  solver: AwardSolver,
  candidate: Candidate,
  hard: RequirementMask,
  wanted: number,
): Threshold {
  const others = solver.eligible(hard).filter((one) => one !== candidate)
  const { min, max } = solver.boundsFor(hard, wanted)
  if (candidate.volume > max) return never("its volume exceeds the RFQ's maximum volume")
  const rest = solver.cheapestOf(others, { min: min - candidate.volume, max: max - candidate.volume })
  const without = solver.cheapestWithout(candidate, hard, wanted)
  if (!rest.reached) {
    if (without.reached) return never("with the other offers, it exceeds the RFQ's maximum volume")
    return rest.exceedsMaximum
      ? never('no set of whole offers lies between the wanted and the maximum volume, so tonnes decide')
      : { total: null, reason: 'any', why: 'without it, the eligible offers reach even less of the wanted volume' }
  }
  if (!without.reached) return { total: null, reason: 'any', why: 'no award reaches the wanted volume without it' }
  const total = without.cost - rest.cost
  return total > 0
    ? { total, exact: without.exact && rest.exact, reason: null }
    : never('the offers that it would need to reach the wanted volume cost more than the award without it')
}

const never = (why: string): Threshold => ({ total: null, reason: 'never', why })

/** Input shared by the price targets of all offers. */
export interface TargetContext {
  solver: AwardSolver
  rfq: RfqTerms
  settings: Settings
  currency: string
  hard: RequirementMask
  wanted: number | null
  ranked: readonly RankedOffer[]
}

const PRICE_REQUIREMENTS = maskOf(['priceMax', 'priceMin'])

/** The price at which a candidate is part of the cheapest compliant award. */
export function enterAwardTarget(candidate: Candidate, context: TargetContext): PriceTarget {
  const { solver, rfq, hard, wanted, currency } = context
  if (wanted === null) return noTarget('The RFQ states no volume.')
  const failed = namesIn(candidate.failedMask & hard & ~PRICE_REQUIREMENTS)
  if (failed.length > 0) {
    return noTarget(
      `No price suffices; it does not meet: ${failed.map((name) => REQUIREMENT_TITLES[name]).join('; ')}.`,
    )
  }
  const undecided = candidate.failed.find(({ name, met }) => met === null && (bitOf(name) & hard) !== 0)
  if (undecided !== undefined) return noTarget(undecided.words)
  const threshold = totalThreshold(solver, candidate, hard, wanted)
  const max = hard & bitOf('priceMax') ? rfq.comparedMaxUnitPrice : null
  const min = hard & bitOf('priceMin') ? rfq.comparedMinUnitPrice : null
  if (threshold.total === null) {
    if (threshold.reason === 'never') return noTarget(`No price suffices: ${threshold.why}.`)
    return max === null
      ? noTarget(`At any price: ${threshold.why}.`)
      : targetAt(candidate, max, `the RFQ's maximum; ${threshold.why}`, currency)
  }
  const atThreshold = threshold.total / candidate.volume
  const price = max === null ? atThreshold : Math.min(atThreshold, max)
  if (min !== null && price < min) {
    return noTarget(
      `No price suffices: it would have to be at most ${formatPricePerTonne(price, currency)}, below the RFQ's minimum of ${formatPricePerTonne(min, currency)}.`,
    )
  }
  const note = price < atThreshold ? "the RFQ's maximum" : threshold.exact ? '' : 'approximate: not proven optimal'
  return targetAt(candidate, price, note, currency)
}

/** The price at which an offer would rank first among all ranked offers. */
export function rankFirstTarget(candidate: Candidate, { ranked, settings, currency }: TargetContext): PriceTarget {
  const { offer } = candidate
  if (!isRanked(offer)) return noTarget('The offer is not ranked.')
  const { breakEven, reason } = breakEvenPrice(
    offer,
    ranked.filter(({ id }) => id !== offer.id),
    settings.weights,
  )
  if (breakEven === null) return noTarget(reason)
  const { price, pricePerTonne } = offer.compared
  return targetAt(candidate, ((pricePerTonne ?? 0) * breakEven) / (price ?? 1), '', currency)
}

export const noTarget = (words: string): PriceTarget => ({
  pricePerTonne: null,
  ownPricePerTonne: null,
  change: null,
  words,
})

function targetAt({ offer }: Candidate, price: number, note: string, currency: string): PriceTarget {
  const { pricePerTonne, rate } = offer.compared
  const change = price / (pricePerTonne ?? price) - 1
  const added = note === '' ? '' : ` (${note})`
  const own = rate === null ? null : price / rate
  const inOwn =
    own === null || offer.terms.currencyCode === currency
      ? ''
      : `, or ${formatPricePerTonne(own, offer.terms.currencyCode)}`
  return {
    pricePerTonne: price,
    ownPricePerTonne: own,
    change,
    words: `At most ${formatPricePerTonne(price, currency)}${inOwn} (${formatChange(change)})${added}.`,
  }
}
