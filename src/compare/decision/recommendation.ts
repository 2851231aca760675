import { plausibleOrNull, ratio, round6, sum } from '../../core/numbers.js'
import {
  formatChange,
  formatMoney,
  formatPercent,
  formatPricePerTonne,
  formatTonnes,
  formatTotal,
} from '../../core/text/number-format.js'
import {
  type AwardContext,
  amountsText,
  awardOf,
  type Candidate,
  candidatesOf,
  offersText,
} from '../awards/award-figures.js'
import { type AwardProblem, type Rivals, rivalsOf } from '../awards/award-problem.js'
import { breakEvenCost } from '../awards/award-rule.js'
import { atLeast, upTo } from '../awards/efficient-awards.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { tonnesOf, totalOf } from '../offer/price-per-tonne.js'
import { unreadText } from '../rfq/rfq-terms.js'
import { conditionsOf } from './conditions.js'
import type { AcceptedAward, Award, BreakEven, Recommendation } from './decision-model.js'
import { accountingText, obstacleWithPrice } from './excluded-offers.js'
import { reasonsOf } from './reasons.js'

/** What is recommended. */
export type Outcome = Pick<Recommendation, 'status' | 'award' | 'accepted' | 'conditions' | 'gap'> & {
  /** What to do; composed by those who show it. */
  message: () => string
}

/** Whom to award, and what to check, without the reasons: what lists show. */
export function outcomeOf(problem: AwardProblem): Outcome {
  const { status, ...outcome } = withoutConditions(problem)
  return { status, ...outcome, conditions: conditionsOf(outcome, problem) }
}

function withoutConditions(problem: AwardProblem): Omit<Outcome, 'conditions'> {
  const { rfq, offers, chosen, context } = problem
  const accepted = acceptedAward(offers, context)
  const nothing = { award: null, accepted, gap: null }
  if (offers.length === 0) {
    const what = rfq.unreadOffers === 0 ? 'no offers' : unreadText(rfq.unreadOffers)
    return { ...nothing, status: 'no-offers', message: () => `The RFQ has ${what}.` }
  }
  if (rfq.missingSince !== null) {
    const missing = `No award is recommended, because the RFQ has been missing from the channel since ${rfq.missingSince.slice(0, 10)}.`
    const message = accepted === null ? missing : `${accepted.message} ${missing}`
    return { ...nothing, status: 'none', message: () => message }
  }
  if (accepted !== null && isSettled(problem))
    return { ...nothing, status: 'accepted', message: () => `${accepted.message} Nothing more is recommended.` }
  const { problem: unknown } = rfq.window
  if (unknown !== null) return { ...nothing, status: 'no-volume', message: () => unknown }
  const award = chosen === null ? null : awardOf(chosen.lots(), context)
  if (award === null) return { ...nothing, status: 'none', message: () => noAwardText(problem, accepted) }
  const status = chosen?.reached ? 'award' : 'partial'
  return {
    status,
    award,
    accepted,
    gap: chosen?.gap ?? null,
    message: () => awardText(award, status === 'award', problem, accepted),
  }
}

/** Whether nothing is left to award, or it is not known how much. */
const isSettled = ({ range, search, rfq }: AwardProblem) =>
  rfq.window.problem === null ? range === null || search === null : rfq.window.lower === null

function awardText(award: Award, reached: boolean, problem: AwardProblem, accepted: AcceptedAward | null): string {
  const what = `${offersText(award.offers)}: ${amountsText(award)}${ownTotalText(award, problem)}`
  const short = reached ? '' : `, ${formatTonnes((problem.range?.lower ?? 0) - award.tonnes)} short of the need`
  const start = accepted === null ? 'Award' : `${accepted.message} Award also`
  return `${start} ${what}${short}. ${needText(award, problem)}`
}

/** What is payable if all offers have the same other currency: ` (538,736 EUR)`. */
function ownTotalText(award: Award, { candidates, context }: AwardProblem): string {
  const offers = candidates.flatMap(({ offer }) => (award.offers.some(({ id }) => id === offer.id) ? [offer] : []))
  const code = offers[0]?.terms.currencyCode ?? context.currency
  if (code === context.currency || offers.some(({ terms }) => terms.currencyCode !== code)) return ''
  return ` (${formatTotal(sum(offers.map(({ metrics }) => metrics.total ?? 0)), code)})`
}

/** `Need 5,000 t (minimum 5,000 t, maximum 9,000 t); the 670 t beyond it cost 19,296 USD.` */
function needText({ tonnes, pricePerTonne, currency }: Award, { range, rfq }: AwardProblem): string {
  const need = range?.lower ?? 0
  const limitText = (name: string, limit: number | null) =>
    limit !== null && limit > 0 ? `${name} ${formatTonnes(limit)}` : `no ${name}`
  const limits = `${limitText('minimum', rfq.minVolume)}, ${limitText('maximum', rfq.maxVolume)}`
  const beyond = tonnes - need
  const isBeyond = tonnes > upTo(need)
  const extra = isBeyond
    ? `; the ${formatTonnes(beyond)} beyond it cost ${formatTotal(beyond * pricePerTonne, currency)}`
    : ''
  return `Need ${formatTonnes(need)} (${limits})${extra}.`
}

function noAwardText({ offers, competing, range }: AwardProblem, accepted: AcceptedAward | null): string {
  const before = accepted === null ? '' : `${accepted.message} `
  const only = offers.length === 1 ? offers[0] : undefined
  if (only?.standing === 'excluded') return `${before}No award possible: the only offer ${obstacleWithPrice(only)}.`
  if (only?.why) return `${before}No award possible: ${lowerFirst(only.why)}`
  const why =
    competing.length === 0
      ? 'no offer is open, comparable and compliant.'
      : `every offer that competes alone exceeds ${formatTonnes(range?.upper ?? 0)}, the most that can be awarded.`
  return `${before}No award possible: ${why}`
}

const lowerFirst = (message: string) => message.charAt(0).toLowerCase() + message.slice(1)

/** Whom to award, why, what to check and what would change it. */
export function recommend(problem: AwardProblem, { message, ...outcome }: Outcome): Recommendation {
  const { offers } = problem
  const { status, award } = outcome
  const headline = offers.length < 2 ? message() : `${message()} ${accountingText(offers)}`
  if (award === null) return { ...outcome, headline, reasons: [], breakEven: [] }
  const rivals = status === 'award' ? rivalsOf(award, problem) : []
  return {
    ...outcome,
    headline,
    reasons: reasonsOf(award, rivals, problem),
    breakEven: breakEvensOf(award, rivals, problem),
  }
}

/**
 * The prices up to which awarded offers stay in the award, those with the most tonnes first; without those that stay at any price. They are
 * known for quoted prices only.
 */
const breakEvensOf = (award: Award, rivals: readonly Rivals[], problem: AwardProblem): BreakEven[] =>
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

/** What is accepted, as far as it is known; null if no offer is. */
export function acceptedAward(offers: readonly OfferReport[], context: AwardContext): AcceptedAward | null {
  const accepted = offers.filter(({ standing }) => standing === 'accepted')
  if (accepted.length === 0) return null
  const candidates = candidatesOf(accepted)
  const award = candidates.length < accepted.length ? null : awardOf(candidates, context)
  const named = accepted.map((offer) => ({ id: offer.id, number: offer.sequence, name: context.nameOf(offer) }))
  const tonnes = sum(accepted.map((offer) => tonnesOf(offer) ?? 0))
  const what = award === null ? accepted.map((offer) => ownAmounts(offer, candidates)).join('; ') : amountsText(award)
  const isKnown = accepted.every((offer) => tonnesOf(offer) !== null)
  const names = offersText(named)
  return {
    offers: named,
    tonnes,
    award,
    message: `Accepted: ${names}: ${what}.${coverageText(tonnes, isKnown, context)}`,
  }
}

/** What is known of an offer, in its own currency: `5,000 t at 8.33 EUR/t, which cannot be compared`. */
function ownAmounts(offer: OfferReport, comparable: readonly Candidate[]): string {
  const [tonnes, total] = [tonnesOf(offer), plausibleOrNull(totalOf(offer))]
  const price = ratio(total, tonnes)
  const { currency } = offer.terms
  const cost =
    price !== null
      ? ` at ${formatPricePerTonne(price, currency)}`
      : total === null
        ? ''
        : ` for ${formatMoney(total, currency)}`
  return `${tonnes === null ? 'unknown tonnes' : formatTonnes(tonnes)}${cost}${comparable.some((one) => one.offer === offer) ? '' : ', which cannot be compared'}`
}

function coverageText(tonnes: number, isKnown: boolean, { lower }: AwardContext): string {
  if (lower === null) return ''
  if (tonnes >= atLeast(lower)) return ` That covers the requested ${formatTonnes(lower)}.`
  const share = formatPercent(tonnes / lower)
  return isKnown
    ? ` That is ${share} of the requested ${formatTonnes(lower)}.`
    : ` That is at least ${share} of the requested ${formatTonnes(lower)}.`
}
