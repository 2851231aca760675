import type { RequirementLevels, RequirementName } from '../../core/decision/settings.js'
import { round6 } from '../../core/numbers.js'
import { truncate } from '../../core/text/clean-text.js'
import { formatCount, formatExactPrice, formatPercent, formatPrice } from '../../core/text/number-format.js'
import { daysBetween } from '../date-math.js'
import { isUnreadable } from '../input/stored-documents.js'
import { currencyCode, type RfqTerms } from '../rfq/rfq-terms.js'
import type { OfferReport, UnmetRequirement } from './offer-report-model.js'

/** The requirements on an offer, in the order in which they are shown. */
export const OFFER_REQUIREMENTS = [
  'reviewNotRejected',
  'reviewAccepted',
  'notExpired',
  'contractType',
  'vintages',
  'fulfilmentDate',
  'priceMax',
  'priceMin',
  'submittedOnTime',
  'listing',
] as const satisfies readonly RequirementName[]
type OfferRequirement = (typeof OFFER_REQUIREMENTS)[number]

/** The requirement on an award as a whole: its tonnes are at most the RFQ's maximum volume. */
export const AWARD_REQUIREMENT = 'volumeMax' as const satisfies RequirementName

/** Names, as labels of the switches and in sentences. */
export const REQUIREMENT_TITLES: Record<RequirementName, string> = {
  reviewNotRejected: 'Review not rejected',
  reviewAccepted: 'Review accepted',
  notExpired: 'Offer not expired',
  contractType: 'Contract type as asked for',
  vintages: 'Vintages within the range',
  fulfilmentDate: 'Delivered by the fulfilment due date',
  priceMax: 'Price at most the maximum',
  priceMin: 'Price at least the minimum',
  submittedOnTime: 'Submitted by the response due date',
  listing: 'For a listing the RFQ names',
  volumeMax: "Tonnes awarded at most the RFQ's maximum",
}

/** An offer before it is ranked. */
type AssessedOffer = Omit<OfferReport, 'label' | 'rank' | 'flags' | 'unmet' | 'standing' | 'why'>

type Failure = { met: false | null; message: string } | null
type Rule = (offer: AssessedOffer, rfq: RfqTerms) => Failure

const notMet = (message: string): Failure => ({ met: false, message })
const notDeterminable = (why: string): Failure => ({ met: null, message: `Not determinable: ${why}.` })

/**
 * Each rule returns null if the requirement is met, or if the RFQ does not state the limit.
 * An offer without an expiry date has not expired, and one without a review has not been rejected by one.
 */
const RULES: Record<OfferRequirement, Rule> = {
  reviewNotRejected,
  reviewAccepted,
  notExpired,
  contractType,
  vintages,
  fulfilmentDate,
  priceMax: (offer, rfq) => priceRule(offer, rfq, 'maximum', rfq.maxUnitPrice),
  priceMin: (offer, rfq) => priceRule(offer, rfq, 'minimum', rfq.minUnitPrice),
  submittedOnTime({ late, submittedAt }, { responseDueDate }) {
    if (responseDueDate === null || late === false) return null
    return late === null
      ? notDeterminable('the offer states no time of submission')
      : notMet(`Submitted late: on ${submittedAt?.slice(0, 10)}, after the response due date, ${responseDueDate}.`)
  },
  listing({ listingId }, { listingIds }) {
    if (listingIds.length === 0) return null
    if (listingId === null) return notDeterminable('the offer names no listing')
    return listingIds.includes(listingId) ? null : notMet('The offer is for a listing that the RFQ does not name.')
  },
}

/** The members of the RFQ that a requirement is about. */
const LIMITS: Partial<Record<OfferRequirement, readonly string[]>> = {
  contractType: ['contractTypes'],
  vintages: ['minVintageYear', 'maxVintageYear'],
  fulfilmentDate: ['fulfilmentDueDate'],
  priceMax: ['pricing.maxUnitPrice'],
  priceMin: ['pricing.minUnitPrice'],
  submittedOnTime: ['responseDueDate'],
  listing: ['listingIds'],
}

/** By its rule; not determinable if the RFQ states the limit in a way that cannot be read. */
function evaluate(name: OfferRequirement, offer: AssessedOffer, rfq: RfqTerms): Failure {
  const unknown = LIMITS[name]?.find((member) => isUnreadable(rfq.unreadable, member))
  return unknown === undefined ? RULES[name](offer, rfq) : notDeterminable(`the ${unknown} of the RFQ cannot be read`)
}

/** Whatever the reason: the request budget was exceeded so far, or the marketplace did not give the offer. */
const ONLY_SUMMARY = 'only the summary of the offer was read so far'

/** What is missing to compare the price with the limits of the RFQ. */
function unknownPrice({ metrics, terms, shape }: AssessedOffer, rfq: RfqTerms): string {
  if (metrics.pricePerTonne === null) return shape === 'summary' ? ONLY_SUMMARY : asClause(metrics.noPrice ?? '')
  if (terms.currencyCode === null) return 'the offer states no currency'
  if (currencyCode(rfq.currency) === null) return 'the RFQ states no currency'
  return "the price cannot be converted into the RFQ's currency"
}

/** A sentence as part of another. */
const asClause = (sentence: string) => `${sentence[0]?.toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`

/** Exclusions that say why no price can be compared with the limits of the RFQ. */
const WITHOUT_PRICE: ReadonlySet<string> = new Set(['no-volume', 'no-price', 'no-currency', 'no-exchange-rate'])

/**
 * The requirements that an offer does not meet at a level other than `off`, hard ones first. Left out is what is said already: a price
 * limit that cannot be evaluated where an exclusion says why, and that a review did not accept what it rejected.
 */
export function unmetRequirements(offer: AssessedOffer, rfq: RfqTerms, levels: RequirementLevels): UnmetRequirement[] {
  if (!offer.hasOffer) return []
  const hasNoPrice = offer.exclusions.some(({ code }) => WITHOUT_PRICE.has(code))
  const unmet: Record<UnmetRequirement['level'], UnmetRequirement[]> = { hard: [], advisory: [] }
  for (const name of OFFER_REQUIREMENTS) {
    const level = levels[name]
    const failure = level === 'off' ? null : evaluate(name, offer, rfq)
    if (level === 'off' || failure === null) continue
    const isPrice = name === 'priceMax' || name === 'priceMin'
    const isSaid = isPrice
      ? hasNoPrice && failure.met === null
      : name === 'reviewAccepted' && level === 'advisory' && isReviewRejected(offer)
    if (!isSaid) unmet[level].push({ name, title: REQUIREMENT_TITLES[name], level, ...failure })
  }
  return [...unmet.hard, ...unmet.advisory]
}

/** Whether the review of an offer rejected it. */
export const isReviewRejected = ({ terms }: Pick<AssessedOffer, 'terms'>): boolean =>
  terms.review?.status?.trim().toLowerCase() === 'rejected'

function reviewNotRejected(offer: AssessedOffer): Failure {
  if (offer.shape === 'summary') return notDeterminable(ONLY_SUMMARY)
  const { review } = offer.terms
  if (isReviewRejected(offer)) {
    const comment = review?.comment ? `: "${truncate(review.comment, 120)}"` : ''
    return notMet(`The review rejected the offer${comment}${/[.!?]"$/.test(comment) ? '' : '.'}`)
  }
  return review !== null && review.status === null ? notDeterminable('the review states no status') : null
}

function reviewAccepted(offer: AssessedOffer): Failure {
  if (offer.shape === 'summary') return notDeterminable(ONLY_SUMMARY)
  const { review } = offer.terms
  if (review === null) return notMet('The offer has not been reviewed yet.')
  if (review.status === null) return notDeterminable('the review states no status')
  const status = review.status.trim().toLowerCase()
  if (status === 'accepted') return null
  return notMet(
    status === 'rejected' ? 'The review rejected the offer.' : `The review is ${truncate(review.status, 40)}.`,
  )
}

function notExpired({ status, terms, unreadable }: AssessedOffer): Failure {
  const { expiryDate, daysToExpiry } = terms
  if (status !== 'accepted' && isUnreadable(unreadable, 'expiryDate'))
    return notDeterminable('the expiry date cannot be read')
  if (daysToExpiry === null || daysToExpiry >= 0 || status === 'accepted') return null
  return notMet(`The offer expired on ${expiryDate}, ${formatCount(-daysToExpiry, 'day')} ago.`)
}

function contractType({ terms }: AssessedOffer, { contractTypes }: RfqTerms): Failure {
  if (contractTypes.length === 0) return null
  if (terms.contractType === null) return notDeterminable('the offer states no contract type')
  if (contractTypes.includes(terms.contractType)) return null
  const [found, asked] = [terms.contractType, contractTypes.join(', ')].map((text) => truncate(text, 80))
  return notMet(`The contract type, ${found}, is not among those asked for: ${asked}.`)
}

function vintages({ metrics, lines }: AssessedOffer, { minVintageYear: min, maxVintageYear: max }: RfqTerms): Failure {
  const { oldestVintage: oldest, newestVintage: newest } = metrics
  if (min !== null && oldest !== null && oldest < min)
    return notMet(`The oldest vintage, ${oldest}, is before ${min}, the earliest year asked for.`)
  if (max !== null && newest !== null && newest > max)
    return notMet(`The newest vintage, ${newest}, is after ${max}, the latest year asked for.`)
  if (min === null && max === null) return null
  const isKnown = lines.length > 0 && lines.every(({ vintageYear }) => vintageYear !== null)
  return isKnown ? null : notDeterminable('not every delivery line states its vintage')
}

function fulfilmentDate({ metrics, lines }: AssessedOffer, { fulfilmentDueDate: due }: RfqTerms): Failure {
  if (due === null) return null
  const last = metrics.lastDelivery
  if (last !== null && last > due) {
    const days = formatCount(daysBetween(due, last) ?? 0, 'day')
    return notMet(`The last delivery, on ${last}, is ${days} after the fulfilment due date, ${due}.`)
  }
  const isKnown = last !== null && lines.every(({ dueDate }) => dueDate !== null)
  return isKnown ? null : notDeterminable('not every delivery has a date')
}

/** Rounded, so that floating-point noise does not put 12.000000000000002 above 12. */
function priceRule(offer: AssessedOffer, rfq: RfqTerms, limit: 'maximum' | 'minimum', bound: number | null): Failure {
  const price = offer.compared.pricePerTonneOfRfq
  if (bound === null) return null
  if (price === null) return notDeterminable(unknownPrice(offer, rfq))
  const beyond = limit === 'maximum' ? round6(price) - round6(bound) : round6(bound) - round6(price)
  if (beyond <= 0) return null
  const share = bound > 0 ? ` ${formatPercent(Math.abs(price / bound - 1))}` : ''
  const side = limit === 'maximum' ? 'above' : 'below'
  // All digits where two decimals are equal.
  const format = formatPrice(price) === formatPrice(bound) ? formatExactPrice : formatPrice
  const unit = `${currencyCode(rfq.currency) ?? ''}/t`
  return notMet(
    `The price, ${format(price)} ${unit}, is${share} ${side} the RFQ's ${limit} of ${format(bound)} ${unit}.`,
  )
}
