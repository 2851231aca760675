import type { Settings } from '../../core/decision/settings.js'
import { ratio } from '../../core/numbers.js'
import { formatCount, formatMoney, formatPercent, formatTonnes } from '../../core/text/number-format.js'
import {
  type Flag,
  flagValue,
  formatFlagValue,
  OFFER_FLAGS,
  type OfferFlagCode,
  type Severity,
  sortBySeverity,
} from '../flag.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { shortagesOf, shortageText } from './availability.js'
import { hasOtherTerms } from './newer-summary.js'
import type { OfferReport } from './offer-report-model.js'
import { totalOf } from './price-per-tonne.js'
import { VOLUME_TOLERANCE } from './reconciliation.js'

/** Input to the flag rules of an offer. */
export interface FlagContext {
  offer: Omit<OfferReport, 'label' | 'rank' | 'flags' | 'unmet' | 'standing' | 'why'>
  rfq: Pick<RfqTerms, 'responseDueDate'>
  settings: Settings
  /** How its terms changed since a review accepted them; null if they did not. */
  changed: string | null
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
  'price-far-below-min': ['high', priceFarBelowMin],
  'changed-since-review': ['high', ({ changed }) => (changed === null ? null : { message: changed, compared: [] })],
  'beyond-availability': ['high', beyondAvailability],
  'total-mismatch': ['high', totalMismatch],
  'volume-mismatch': ['high', volumeMismatch],
  'summary-differs': ['high', summaryDiffers],
  'prepayment-in-full': ['high', prepaymentInFull],
  'prepayment-share': ['medium', prepaymentShare],
  expiring: ['medium', expiring],
}

const isAccepted = ({ offer }: FlagContext) => offer.status === 'accepted'

/** Below this share of the RFQ's minimum, a price is doubted. */
const FAR_BELOW = 0.6

function priceFarBelowMin({ offer: { requirements } }: FlagContext): FlagBody | null {
  const minimum = requirements.find(({ code }) => code === 'price-min')
  if (minimum?.met !== false) return null
  const { found, asked } = minimum
  const share = Number(found.value) / Number(asked.value)
  if (share >= FAR_BELOW) return null
  const message = `The price, ${formatFlagValue(found)}, is ${formatPercent(1 - share)} below the RFQ's minimum of ${formatFlagValue(asked)}.`
  return { message, compared: [found, asked] }
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

/** Within `expiryWindowDays`, or before responses are due. */
function expiring(of: FlagContext): FlagBody | null {
  const { expiryDate, daysToExpiry } = of.offer.terms
  if (expiryDate === null || daysToExpiry === null || daysToExpiry < 0 || isAccepted(of)) return null
  const { responseDueDate } = of.rfq
  const isEarly = responseDueDate !== null && expiryDate < responseDueDate
  if (daysToExpiry > of.settings.expiryWindowDays && !isEarly) return null
  const message = `The offer expires ${daysToExpiry === 0 ? 'today' : `in ${formatCount(daysToExpiry, 'day')}`}, on ${expiryDate}.`
  return { message, compared: [flagValue('days to expiry', daysToExpiry, 'days')] }
}

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

// Absorbs floating-point noise: a share exactly at the limit is within it.
const SHARE_TOLERANCE = 1e-9

/** The share of the total that is paid in advance, also if no volume is known; null for a summary. */
function prepaidShareOf(of: FlagContext): number | null {
  const { metrics } = of.offer
  const isFull = of.offer.hasOffer && of.offer.shape === 'full'
  return metrics.prepaidShare ?? (isFull ? ratio(metrics.prepaid, totalOf(of.offer)) : null)
}

function prepaymentShare(of: FlagContext): FlagBody | null {
  const limit = of.settings.prepaymentShareLimit
  const share = prepaidShareOf(of)
  if (share === null || share <= limit + SHARE_TOLERANCE || share >= 1 - SHARE_TOLERANCE) return null
  const message = `Pre-payments are ${formatPercent(share)} of the total (flagged above ${formatPercent(limit)}).`
  return { message, compared: [flagValue('pre-paid', share * 100, '%'), flagValue('limit', limit * 100, '%')] }
}

/** Unless the settings allow pre-payments of the whole total. */
function prepaymentInFull(of: FlagContext): FlagBody | null {
  const share = prepaidShareOf(of)
  if (share === null || of.settings.prepaymentShareLimit >= 1 || share < 1 - SHARE_TOLERANCE) return null
  const { metrics, terms } = of.offer
  const [prepaid, total] = [metrics.prepaid, totalOf(of.offer) ?? 0].map((one) => formatMoney(one, terms.currency))
  return {
    message: `Pre-payments are ${prepaid}, the total is ${total}.`,
    compared: [
      flagValue('pre-payments', metrics.prepaid, terms.currency),
      flagValue('total', totalOf(of.offer), terms.currency),
    ],
  }
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
