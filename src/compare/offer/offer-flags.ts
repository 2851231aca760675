import type { Settings } from '../../core/decision/settings.js'
import { responseStatus } from '../../core/documents/documents.js'
import { ratio } from '../../core/numbers.js'
import { describeRemoval } from '../../core/sources/source-text.js'
import type { ListDiff } from '../../core/sources/sources.js'
import { formatCount, formatMoney, formatPercent, formatTonnes, truncate } from '../../core/text/number-format.js'
import {
  type Flag,
  type FlagValue,
  flagValue,
  formatFlagValue,
  OFFER_FLAGS,
  type OfferFlagCode,
  type Severity,
  sortBySeverity,
} from '../flag.js'
import type { CurrencyReport } from '../input/comparison-currency.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { shortagesOf, shortageText } from './availability.js'
import { hasOtherTerms } from './newer-summary.js'
import type { OfferReport } from './offer-report-model.js'
import { totalOf } from './price-per-tonne.js'
import { VOLUME_TOLERANCE } from './reconciliation.js'
import type { Requirement } from './requirements.js'

/** Input to the flag rules of an offer. */
export interface FlagContext {
  offer: Omit<OfferReport, 'label' | 'rank' | 'scores' | 'flags' | 'unmet' | 'standing' | 'why'>
  rfq: RfqTerms
  asOfDate: string
  currency: CurrencyReport
  settings: Settings
  /** What a newer list says of the RFQ, if it no longer has the offer. */
  notListed: ListDiff | null
  /** Number of problems recorded for the document. */
  problems: number
  /** Negative or implausibly large numbers in the document. */
  implausible: readonly FlagValue[]
}

type FlagBody = Pick<Flag, 'message' | 'compared'> & { severity?: Severity }
type Rule = (of: FlagContext) => FlagBody | null

/** Raises the flags of an offer, most severe first. RULES has one rule per flag. */
export function offerFlags(of: FlagContext): Flag[] {
  const raised = OFFER_FLAGS.flatMap((code) => {
    const [severity, rule] = RULES[code]
    const body = rule(of)
    return body === null ? [] : [{ code, severity, ...body }]
  })
  return sortBySeverity(raised)
}

/** How severe a flag on an offer is. */
export const severityOf = (code: OfferFlagCode): Severity => RULES[code][0]

const RULES: Record<OfferFlagCode, [Severity, Rule]> = {
  'no-offer': ['high', noOffer],
  'summary-differs': ['high', summaryDiffers],
  'invalid-document': ['medium', invalidDocument],
  withdrawn: ['high', withdrawn],
  'not-listed': ['high', notListed],
  'unknown-status': ['medium', unknownStatus],
  'review-not-accepted': ['medium', reviewNotAccepted],
  expired: ['high', expired],
  expiring: ['medium', expiring],
  'no-expiry': ['low', noExpiry],
  'late-submission': ['high', lateSubmission],
  'price-above-max': ['high', requirementNotMet('price-max', 'is above')],
  'price-below-min': ['medium', requirementNotMet('price-min', 'is below')],
  'volume-below-min': ['high', requirementNotMet('volume-min', 'is below')],
  'volume-above-max': ['medium', requirementNotMet('volume-max', 'is above')],
  'vintage-too-old': ['high', requirementNotMet('vintage-min', 'is before')],
  'vintage-too-new': ['high', requirementNotMet('vintage-max', 'is after')],
  'vintage-after-delivery': ['medium', vintageAfterDelivery],
  'delivery-after-due': ['high', requirementNotMet('delivery', 'is after')],
  'delivery-past': ['medium', deliveryPast],
  'contract-type-not-asked': ['high', requirementNotMet('contract-type', 'is not among those')],
  'no-currency': ['high', noCurrency],
  'no-exchange-rate': ['high', noExchangeRate],
  'volume-mismatch': ['medium', volumeMismatch],
  'total-mismatch': ['high', totalMismatch],
  'summary-only': ['medium', summaryOnly],
  'no-volume': ['high', noVolume],
  'implausible-numbers': ['high', implausibleNumbers],
  'prepayment-share': ['medium', prepaymentShare],
  'prepayment-in-full': ['high', prepaymentInFull],
  'prepayment-above-total': ['high', prepaymentAboveTotal],
  'listing-unknown': ['medium', listingUnknown],
  'listing-missing': ['medium', listingMissing],
  'listing-not-asked': ['high', listingNotAsked],
  'beyond-availability': ['high', beyondAvailability],
}

const quoted = (text: string | null) => (text === null ? 'none' : `"${truncate(text, 40)}"`)

const hasOffer = ({ offer }: FlagContext) => offer.hasOffer
const isAccepted = ({ offer }: FlagContext) => offer.status === 'accepted'
const isFull = (of: FlagContext) => hasOffer(of) && of.offer.shape === 'full'

// --- the document ---------------------------------------------------------------------------------------------------

function noOffer(of: FlagContext): FlagBody | null {
  return hasOffer(of) ? null : { message: 'The response contains no readable offer.', compared: [] }
}

function invalidDocument({ offer, problems }: FlagContext): FlagBody | null {
  if (offer.source.valid) return null
  const count = problems === 0 ? '' : ` (${formatCount(problems, 'problem')})`
  const message = `The document does not match the documented format${count}; its readable values are used.`
  return { message, compared: [flagValue('problems', problems)] }
}

function summaryOnly(of: FlagContext): FlagBody | null {
  if (of.offer.shape !== 'summary') return null
  const known =
    of.problems === 0 ? 'the offer itself was not read yet' : 'the offer itself was not read, see its problems'
  const message = `Only the summary within the RFQ is known (${known}): deliveries, pre-payments and review are unknown.`
  return { message, compared: [] }
}

/** Less severe if only the status differs, because the newer one is used. */
function summaryDiffers({ offer: { newerSummary } }: FlagContext): FlagBody | null {
  if (newerSummary === null) return null
  const compared = newerSummary.differences.flatMap(({ member, rfq, offer }) => [
    flagValue(`${member} of the offer`, offer),
    flagValue(`${member} in the RFQ`, rfq),
  ])
  const severity = hasOtherTerms(newerSummary) ? 'high' : 'medium'
  return { message: newerSummary.message, compared, severity }
}

function implausibleNumbers({ implausible }: FlagContext): FlagBody | null {
  if (implausible.length === 0) return null
  const first = implausible[0]
  const others = implausible.length > 1 ? `, and ${formatCount(implausible.length - 1, 'other')}` : ''
  const message = `A number is negative or implausibly large: ${first?.what} ${first?.value}${others}.`
  return { message, compared: [...implausible].slice(0, 5) }
}

// --- status ---------------------------------------------------------------------------------------------------------

function withdrawn({ offer: { missingSince } }: FlagContext): FlagBody | null {
  if (missingSince === null) return null
  return {
    message: `The offer has been missing from the RFQ since ${missingSince}.`,
    compared: [flagValue('missing since', missingSince)],
  }
}

function notListed({ notListed }: FlagContext): FlagBody | null {
  return notListed === null ? null : { message: describeRemoval(notListed), compared: [] }
}

function unknownStatus({ offer: { status } }: FlagContext): FlagBody | null {
  if (responseStatus.options.some((known) => known === status)) return null
  const message = `The marketplace does not document the status ${quoted(status)}.`
  return {
    message,
    compared: [flagValue('status', status), flagValue('documented', responseStatus.options.join(', '))],
  }
}

function reviewNotAccepted({ offer: { terms } }: FlagContext): FlagBody | null {
  if (terms.review === null || terms.review.status === 'accepted') return null
  const { status } = terms.review
  const message = `The status of the review is ${quoted(status)}, not "accepted".`
  return { message, compared: [flagValue('review status', status), flagValue('expected', 'accepted')] }
}

function expired(of: FlagContext): FlagBody | null {
  const { expiryDate, daysToExpiry } = of.offer.terms
  if (daysToExpiry === null || daysToExpiry >= 0 || isAccepted(of)) return null
  const message = `The offer expired on ${expiryDate}, ${formatCount(-daysToExpiry, 'day')} before the as-of date ${of.asOfDate}.`
  return { message, compared: [flagValue('expiry date', expiryDate), flagValue('as of', of.asOfDate)] }
}

function expiring(of: FlagContext): FlagBody | null {
  const { expiryDate, daysToExpiry } = of.offer.terms
  const window = of.settings.expiryWindowDays
  if (daysToExpiry === null || daysToExpiry < 0 || daysToExpiry > window || isAccepted(of)) return null
  const message = `The offer expires on ${expiryDate}, in ${formatCount(daysToExpiry, 'day')} (flagged if within ${formatCount(window, 'day')}).`
  return { message, compared: [flagValue('days to expiry', daysToExpiry, 'days'), flagValue('window', window, 'days')] }
}

function noExpiry(of: FlagContext): FlagBody | null {
  if (!hasOffer(of) || of.offer.terms.expiryDate !== null || isAccepted(of)) return null
  return { message: 'The offer states no expiry date.', compared: [flagValue('expiry date', null)] }
}

function lateSubmission({ offer: { late, submittedAt }, rfq }: FlagContext): FlagBody | null {
  if (late !== true) return null
  const message = `The offer was submitted late: at ${submittedAt}, after the end of the response due date ${rfq.responseDueDate}.`
  return {
    message,
    compared: [flagValue('submitted', submittedAt), flagValue('response due date', rfq.responseDueDate)],
  }
}

// --- requirements of the RFQ ----------------------------------------------------------------------------------------

/** Raises a flag if a requirement is not met. */
function requirementNotMet(code: Requirement['code'], relation: string): Rule {
  return ({ offer }) => {
    const requirement = offer.requirements.find((one) => one.code === code)
    if (requirement?.met !== false) return null
    const { found, asked } = requirement
    const message = `The ${found.what}, ${formatFlagValue(found)}, ${relation} the ${asked.what}, ${formatFlagValue(asked)}.`
    return { message: message.replace('among those the asked for', 'among those asked for'), compared: [found, asked] }
  }
}

function listingNotAsked({ offer, rfq }: FlagContext): FlagBody | null {
  const requirement = offer.requirements.find((one) => one.code === 'listing')
  if (requirement?.met !== false) return null
  const message = `The offer is for listing ${truncate(offer.listingId ?? '', 40)}, which the RFQ does not request (it names ${formatCount(rfq.listingIds.length, 'listing')}).`
  return { message, compared: [requirement.found, requirement.asked] }
}

// --- currency -------------------------------------------------------------------------------------------------------

function noCurrency(of: FlagContext): FlagBody | null {
  const { currency, currencyCode } = of.offer.terms
  if (!hasOffer(of) || currencyCode !== null) return null
  const message =
    currency === null ? 'The offer states no currency.' : `The currency ${quoted(currency)} is not a currency code.`
  return { message, compared: [flagValue('currency', currency)] }
}

function noExchangeRate({ offer: { terms, compared }, currency }: FlagContext): FlagBody | null {
  if (terms.currencyCode === null || compared.rate !== null) return null
  const why = currency.rates.find((rate) => rate.currency === terms.currencyCode)?.message ?? ''
  const message = `The offer cannot be compared because it is priced in ${terms.currencyCode}. ${why}`.trimEnd()
  return {
    message,
    compared: [flagValue('currency', terms.currencyCode), flagValue('compared in', currency.comparison)],
  }
}

// --- lines ----------------------------------------------------------------------------------------------------------

function volumeMismatch({ offer: { terms, metrics } }: FlagContext): FlagBody | null {
  if (metrics.volumeVerdict !== 'differs' || terms.statedVolume === null) return null
  const { statedVolume } = terms
  const message = `The stated volume is ${formatTonnes(statedVolume)}, but the delivery lines add up to ${formatTonnes(metrics.sumVolume)}.`
  const tolerance = flagValue('tolerance', VOLUME_TOLERANCE, 't')
  return {
    message,
    compared: [
      flagValue('stated volume', statedVolume, 't'),
      flagValue('sum of lines', metrics.sumVolume, 't'),
      tolerance,
    ],
  }
}

function totalMismatch({ offer: { terms, metrics } }: FlagContext): FlagBody | null {
  if (metrics.totalVerdict !== 'differs' || terms.statedTotal === null) return null
  const { statedTotal, currency } = terms
  const [stated, added] = [formatMoney(statedTotal, currency), formatMoney(metrics.sumValue, currency)]
  const compared = [
    flagValue('stated total', statedTotal, currency),
    flagValue('sum of lines', metrics.sumValue, currency),
  ]
  return { message: `The stated total is ${stated}, but the delivery lines add up to ${added}.`, compared }
}

function noVolume(of: FlagContext): FlagBody | null {
  const { metrics, terms } = of.offer
  if (!hasOffer(of) || metrics.volume !== null || metrics.sumVolume > 0 || (terms.statedVolume ?? 0) > 0) return null
  const compared = [
    flagValue('stated volume', terms.statedVolume, 't'),
    flagValue('sum of lines', metrics.sumVolume, 't'),
  ]
  return { message: 'Neither the delivery lines nor the stated volume gives a volume above 0.', compared }
}

function vintageAfterDelivery({ offer: { lines } }: FlagContext): FlagBody | null {
  const early = lines.filter(({ dueDate, periodEnd }) => dueDate !== null && periodEnd !== null && periodEnd > dueDate)
  const first = early[0]
  if (first === undefined) return null
  const are = early.length === 1 ? 'is' : 'are'
  const message = `${formatCount(early.length, 'line')} ${are} due before the reporting period ends: delivery on ${first.dueDate}, period until ${first.periodEnd}.`
  return { message, compared: [flagValue('delivery', first.dueDate), flagValue('period end', first.periodEnd)] }
}

function deliveryPast(of: FlagContext): FlagBody | null {
  const { firstDelivery } = of.offer.metrics
  if (firstDelivery === null || firstDelivery >= of.asOfDate || isAccepted(of)) return null
  const message = `The first delivery date, ${firstDelivery}, is before the as-of date ${of.asOfDate}.`
  return { message, compared: [flagValue('first delivery', firstDelivery), flagValue('as of', of.asOfDate)] }
}

// --- pre-payments ---------------------------------------------------------------------------------------------------

// Absorbs floating-point noise: a share exactly at the limit is within it.
const SHARE_TOLERANCE = 1e-9

/** The share of the total that is paid in advance, also if no volume is known; null for a summary. */
function prepaidShareOf(of: FlagContext): number | null {
  const { metrics } = of.offer
  return metrics.prepaidShare ?? (isFull(of) ? ratio(metrics.prepaid, totalOf(of.offer)) : null)
}

function prepaymentShare(of: FlagContext): FlagBody | null {
  const limit = of.settings.prepaymentShareLimit
  const share = prepaidShareOf(of)
  if (share === null || share <= limit + SHARE_TOLERANCE) return null
  const message = `Pre-payments are ${formatPercent(share)} of the total (flagged above ${formatPercent(limit)}).`
  return { message, compared: [flagValue('pre-paid', share * 100, '%'), flagValue('limit', limit * 100, '%')] }
}

/** Unless the settings allow pre-payments of the whole total. */
function prepaymentInFull(of: FlagContext): FlagBody | null {
  const share = prepaidShareOf(of)
  if (share === null || of.settings.prepaymentShareLimit >= 1) return null
  if (Math.abs(share - 1) > SHARE_TOLERANCE) return null
  const { metrics, terms } = of.offer
  const message = `Pre-payments are the whole total, ${formatMoney(metrics.prepaid, terms.currency)}.`
  return { message, compared: prepaidAndTotal(of) }
}

function prepaymentAboveTotal(of: FlagContext): FlagBody | null {
  const share = prepaidShareOf(of)
  if (share === null || share <= 1 + SHARE_TOLERANCE) return null
  const { metrics, terms } = of.offer
  const total = formatMoney(totalOf(of.offer) ?? 0, terms.currency)
  const message = `Pre-payments of ${formatMoney(metrics.prepaid, terms.currency)} exceed the total of ${total}.`
  return { message, compared: prepaidAndTotal(of) }
}

const prepaidAndTotal = ({ offer }: FlagContext): FlagValue[] => [
  flagValue('pre-payments', offer.metrics.prepaid, offer.terms.currency),
  flagValue('total', totalOf(offer), offer.terms.currency),
]

// --- the listing ----------------------------------------------------------------------------------------------------

function listingUnknown({ offer: { listing, listingId } }: FlagContext): FlagBody | null {
  if (listing.known) return null
  const message =
    listingId === null
      ? 'The offer states no listing.'
      : `The listing ${truncate(listingId, 40)} has never been observed.`
  return { message, compared: [flagValue('listing', listingId)] }
}

function listingMissing({ offer: { listing } }: FlagContext): FlagBody | null {
  if (listing.missingSince === null) return null
  const message = `The listing has been missing from the channel since ${listing.missingSince}.`
  return { message, compared: [flagValue('listing missing since', listing.missingSince)] }
}

/** Of an accepted offer it is less severe: the listing may have excluded it already. */
function beyondAvailability(of: FlagContext): FlagBody | null {
  const { lines, listing } = of.offer
  const shortages = listing.missingSince === null ? shortagesOf(lines, listing.availability) : []
  if (shortages.length === 0) return null
  const compared = shortages.flatMap(({ years, offered, available }) => [
    flagValue(years, offered, 't'),
    flagValue('available', available, 't'),
  ])
  const severity = isAccepted(of) ? 'medium' : 'high'
  return { message: shortages.map(shortageText).join(' '), compared, severity }
}
