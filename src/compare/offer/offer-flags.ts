import { sum } from '../../core/numbers.js'
import { formatCount, formatMoney, formatPercent, formatTonnes } from '../../core/text/number-format.js'
import { yearOf } from '../date-math.js'
import { type Flag, type FlagCode, OFFER_FLAGS } from '../flag.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { shortageText } from './availability.js'
import type { OfferReport } from './offer-report-model.js'
import { totalOf } from './price-per-tonne.js'
import { priceText } from './requirements.js'

/** Input to the flag rules of an offer. */
export interface FlagContext {
  offer: Omit<OfferReport, 'label' | 'rank' | 'flags' | 'unmet' | 'standing' | 'why'>
  rfq: Pick<RfqTerms, 'responseDueDate' | 'minUnitPrice' | 'minVintageYear' | 'currency'>
  /** How its terms changed since a review accepted them; null if they did not. */
  changed: string | null
}

/** Loud, unless it says otherwise. */
type FlagBody = Pick<Flag, 'message'> & { loud?: boolean }
type Rule = (of: FlagContext) => FlagBody | null

/** Raises the flags of an offer, loud ones first. RULES has one rule per flag. */
export function offerFlags(of: FlagContext): Flag[] {
  const raised = OFFER_FLAGS.flatMap((code) => {
    const body = RULES[code](of)
    return body === null ? [] : [{ code, loud: true, ...body }]
  })
  return raised.sort((a, b) => Number(b.loud) - Number(a.loud))
}

const RULES: Record<FlagCode, Rule> = {
  'price-far-below-min': priceFarBelowMin,
  'changed-since-review': ({ changed }) => (changed === null ? null : { message: changed }),
  'beyond-availability': beyondAvailability,
  'total-mismatch': totalMismatch,
  'volume-mismatch': volumeMismatch,
  'summary-differs': ({ offer: { summaryDifference: found } }) => found && { message: found.message },
  'prepayment-in-full': prepaymentInFull,
  'begins-early': beginsEarly,
  expiring,
}

const isAccepted = ({ offer }: FlagContext) => offer.status === 'accepted'

/** Below this share of the RFQ's minimum, a price is doubted. */
const FAR_BELOW = 0.6

function priceFarBelowMin({ offer, rfq }: FlagContext): FlagBody | null {
  const price = offer.compared.pricePerTonneOfRfq
  const { minUnitPrice: minimum } = rfq
  if (price === null || minimum === null || price >= FAR_BELOW * minimum) return null
  const share = formatPercent(1 - price / minimum)
  return {
    message: `The price, ${priceText(price, rfq)}, is ${share} below the RFQ's minimum of ${priceText(minimum, rfq)}.`,
  }
}

/** An offer that expires within this many days is doubted. */
export const EXPIRY_WARNING_DAYS = 14

/** Soon, or before responses are due. */
function expiring(of: FlagContext): FlagBody | null {
  const { expiryDate, daysToExpiry } = of.offer.terms
  if (expiryDate === null || daysToExpiry === null || daysToExpiry < 0 || isAccepted(of)) return null
  const { responseDueDate } = of.rfq
  const isEarly = responseDueDate !== null && expiryDate < responseDueDate
  if (daysToExpiry > EXPIRY_WARNING_DAYS && !isEarly) return null
  const message = `The offer expires ${daysToExpiry === 0 ? 'today' : `in ${formatCount(daysToExpiry, 'day')}`}, on ${expiryDate}.`
  return { message, loud: false }
}

function volumeMismatch({ offer: { terms, metrics } }: FlagContext): FlagBody | null {
  if (metrics.volumeVerdict !== 'differs' || terms.statedVolume === null) return null
  const { statedVolume } = terms
  const message = `The stated volume is ${formatTonnes(statedVolume)}, but the delivery lines add up to ${formatTonnes(metrics.sumVolume)}.`
  return { message }
}

function totalMismatch({ offer: { terms, metrics } }: FlagContext): FlagBody | null {
  if (metrics.totalVerdict !== 'differs' || terms.statedTotal === null) return null
  const { statedTotal, currency } = terms
  const [stated, added] = [formatMoney(statedTotal, currency), formatMoney(metrics.sumValue, currency)]
  return { message: `The stated total is ${stated}, but the delivery lines add up to ${added}.` }
}

// Absorbs floating-point noise: what reaches the total is in full.
const FULL = 1 - 1e-9

/** Whether the pre-payments due before the first delivery reach the total; those without a date, or before a delivery without one, count. */
function prepaymentInFull({ offer }: FlagContext): FlagBody | null {
  const { prepayments, metrics, terms } = offer
  const { firstDelivery } = metrics
  const isBefore = (date: string | null) => date === null || firstDelivery === null || date < firstDelivery
  const prepaid = sum(prepayments.map(({ amount, dueDate }) => (isBefore(dueDate) ? Math.max(0, amount ?? 0) : 0)))
  const total = totalOf(offer)
  if (total === null || prepaid < total * FULL) return null
  const [paid, all] = [prepaid, total].map((amount) => formatMoney(amount, terms.currency))
  const before = firstDelivery === null ? 'delivery' : `the first delivery, on ${firstDelivery}`
  return { message: `Pre-payments of ${paid} are due before ${before}; the total is ${all}.` }
}

/** A vintage of a year that was asked for whose period begins in an earlier one. */
function beginsEarly({ offer, rfq: { minVintageYear: earliest } }: FlagContext): FlagBody | null {
  if (earliest === null) return null
  const [first] = offer.lines
    .flatMap(({ periodStart, vintageYear }) =>
      vintageYear !== null && vintageYear >= earliest ? (periodStart ?? []) : [],
    )
    .sort()
  if (first === undefined || yearOf(first) >= earliest) return null
  const message = `A vintage begins in ${first.slice(0, 7)}, before ${earliest}, the earliest year asked for.`
  return { message, loud: false }
}

/** Of an accepted offer it is quiet: the listing may have excluded it already. */
function beyondAvailability(of: FlagContext): FlagBody | null {
  const { shortages } = of.offer
  if (shortages.length === 0) return null
  return { message: shortages.map(shortageText).join(' '), loud: !isAccepted(of) }
}
