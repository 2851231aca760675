import type { RequirementLevels, RequirementName } from '../../core/decision/settings.js'
import { formatCount, formatPercent, truncate } from '../../core/text/number-format.js'
import { daysBetween } from '../date-math.js'
import { formatFlagValue } from '../flag.js'
import { isUnreadable } from '../input/stored-documents.js'
import { currencyCode, type RfqTerms } from '../rfq/rfq-terms.js'
import type { OfferReport, UnmetRequirement } from './offer-report-model.js'
import { isReviewRejected, type Requirement } from './requirements.js'

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
export type OfferRequirement = (typeof OFFER_REQUIREMENTS)[number]

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
  contractType: (offer) =>
    stated(offer, 'contract-type', 'the offer states no contract type', ({ found, asked }) => {
      return `The contract type, ${formatFlagValue(found)}, is not among those asked for: ${formatFlagValue(asked)}.`
    }),
  vintages: vintageRule,
  fulfilmentDate: (offer) =>
    stated(offer, 'delivery', 'not every delivery has a date', ({ found, asked }) => {
      const days = daysBetween(String(asked.value), String(found.value)) ?? 0
      return `The last delivery, on ${found.value}, is ${formatCount(days, 'day')} after the fulfilment due date, ${asked.value}.`
    }),
  priceMax: (offer, rfq) =>
    stated(
      offer,
      'price-max',
      () => unknownPrice(offer, rfq),
      (one) => priceText(one, 'above', 'maximum'),
    ),
  priceMin: (offer, rfq) =>
    stated(
      offer,
      'price-min',
      () => unknownPrice(offer, rfq),
      (one) => priceText(one, 'below', 'minimum'),
    ),
  submittedOnTime: (offer) =>
    stated(offer, 'on-time', 'the offer states no time of submission', ({ asked }) => {
      return `Submitted late: on ${offer.submittedAt?.slice(0, 10)}, after the response due date, ${asked.value}.`
    }),
  listing: (offer) =>
    stated(
      offer,
      'listing',
      'the offer names no listing',
      () => 'The offer is for a listing that the RFQ does not name.',
    ),
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
  const hasNoPrice = offer.exclusions.some(({ code }) => WITHOUT_PRICE.has(code))
  const unmet = OFFER_REQUIREMENTS.flatMap((name): UnmetRequirement[] => {
    const level = levels[name]
    const failure = level === 'off' || !offer.hasOffer ? null : evaluate(name, offer, rfq)
    if (level === 'off' || failure === null) return []
    const isPrice = name === 'priceMax' || name === 'priceMin'
    const isSaid = isPrice
      ? hasNoPrice && failure.met === null
      : name === 'reviewAccepted' && level === 'advisory' && isReviewRejected(offer)
    return isSaid ? [] : [{ name, title: REQUIREMENT_TITLES[name], level, ...failure }]
  })
  return [...unmet.filter(({ level }) => level === 'hard'), ...unmet.filter(({ level }) => level !== 'hard')]
}

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

/** A requirement that the RFQ states and the offer's report has evaluated. */
function stated(
  offer: AssessedOffer,
  code: Requirement['code'],
  unknown: string | (() => string),
  message: (requirement: Requirement) => string,
): Failure {
  const requirement = offer.requirements.find((one) => one.code === code)
  if (requirement === undefined || requirement.met === true) return null
  return requirement.met === null
    ? notDeterminable(typeof unknown === 'string' ? unknown : unknown())
    : notMet(message(requirement))
}

function vintageRule(offer: AssessedOffer): Failure {
  const limits = [
    stated(offer, 'vintage-min', NO_VINTAGE, ({ found, asked }) => {
      return `The oldest vintage, ${found.value}, is before ${asked.value}, the earliest year asked for.`
    }),
    stated(offer, 'vintage-max', NO_VINTAGE, ({ found, asked }) => {
      return `The newest vintage, ${found.value}, is after ${asked.value}, the latest year asked for.`
    }),
  ]
  return limits.find((limit) => limit?.met === false) ?? limits.find((limit) => limit !== null) ?? null
}
const NO_VINTAGE = 'not every delivery line states its vintage'

function priceText({ found, asked }: Requirement, side: 'above' | 'below', limit: 'maximum' | 'minimum'): string {
  const [price, bound] = [Number(found.value), Number(asked.value)]
  const share = bound > 0 ? ` ${formatPercent(Math.abs(price / bound - 1))}` : ''
  return `The price, ${formatFlagValue(found)}, is${share} ${side} the RFQ's ${limit} of ${formatFlagValue(asked)}.`
}
