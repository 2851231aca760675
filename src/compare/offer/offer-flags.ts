import { sum } from '../../core/numbers.js'
import {
  formatCount,
  formatMoney,
  formatPercent,
  formatPricePerTonne,
  formatTonnes,
} from '../../core/text/number-format.js'
import { yearOf } from '../date-math.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { shortageText } from './availability.js'
import { type Flag, type FlagCode, OFFER_FLAGS, type OfferReport } from './offer-report-model.js'
import { totalOf } from './price-per-tonne.js'

/** Input to the flag rules of an offer. */
interface FlagContext {
  offer: Omit<OfferReport, 'label' | 'rank' | 'flags' | 'unmet' | 'standing' | 'why'>
  rfq: Pick<RfqTerms, 'responseDueDate' | 'minUnitPrice' | 'minVintageYear' | 'currency'>
  /** How its terms changed since a review accepted them; null if they did not. */
  changed: string | null
}

/** Raises the flags of an offer, loud ones first. */
export function offerFlags(of: FlagContext): Flag[] {
  const raised: Flag[] = []
  for (const code of OFFER_FLAGS) {
    const message = RULES[code](of)
    if (message !== null) raised.push({ code, loud: isLoud(code, of), message })
  }
  return raised.sort((a, b) => Number(b.loud) - Number(a.loud))
}

/** What an accepted offer claims is quiet: the listing may have excluded it already. */
const isLoud = (code: FlagCode, of: FlagContext): boolean =>
  code === 'beyond-availability' ? !isAccepted(of) : code !== 'begins-early' && code !== 'expiring'

const isAccepted = ({ offer }: FlagContext) => offer.status === 'accepted'

/** The sentence of each flag; null if it is not raised. */
const RULES: Record<FlagCode, (of: FlagContext) => string | null> = {
  'price-far-below-min': priceFarBelowMin,
  'changed-since-review': ({ changed }) => changed,
  'beyond-availability': ({ offer: { shortages } }) => shortages.map(shortageText).join(' ') || null,
  'total-mismatch': totalMismatch,
  'volume-mismatch': volumeMismatch,
  'summary-differs': ({ offer }) => offer.summaryDifference?.message ?? null,
  'prepayment-in-full': prepaymentInFull,
  'begins-early': beginsEarly,
  expiring,
}

/** Below this share of the RFQ's minimum, a price is doubted. */
const FAR_BELOW = 0.6

function priceFarBelowMin({ offer, rfq }: FlagContext): string | null {
  const price = offer.compared.pricePerTonneOfRfq
  const { minUnitPrice: minimum } = rfq
  if (price === null || minimum === null || price >= FAR_BELOW * minimum) return null
  const share = formatPercent(1 - price / minimum)
  const [own, limit] = [price, minimum].map((one) => formatPricePerTonne(one, rfq.currency))
  return `The price, ${own}, is ${share} below the RFQ's minimum of ${limit}.`
}

/** An offer that expires within this many days is doubted. */
export const EXPIRY_WARNING_DAYS = 14

/** Soon, or before responses are due. */
function expiring(of: FlagContext): string | null {
  const { expiryDate, daysToExpiry } = of.offer.terms
  if (expiryDate === null || daysToExpiry === null || daysToExpiry < 0 || isAccepted(of)) return null
  const { responseDueDate } = of.rfq
  const isEarly = responseDueDate !== null && expiryDate < responseDueDate
  if (daysToExpiry > EXPIRY_WARNING_DAYS && !isEarly) return null
  return `The offer expires ${daysToExpiry === 0 ? 'today' : `in ${formatCount(daysToExpiry, 'day')}`}, on ${expiryDate}.`
}

function volumeMismatch({ offer: { terms, metrics } }: FlagContext): string | null {
  if (!metrics.isOtherVolume || terms.statedVolume === null) return null
  return `The stated volume is ${formatTonnes(terms.statedVolume)}, but the delivery lines, which count, add up to ${formatTonnes(metrics.sumVolume)}.`
}

function totalMismatch({ offer: { terms, metrics } }: FlagContext): string | null {
  if (!metrics.isOtherTotal || terms.statedTotal === null) return null
  const [stated, added] = [terms.statedTotal, metrics.sumValue].map((total) => formatMoney(total, terms.currency))
  return `The stated total is ${stated}, but the delivery lines, which count, add up to ${added}.`
}

// Absorbs floating-point noise: what reaches the total is in full.
const FULL = 1 - 1e-9

/** Whether the pre-payments due before the first delivery reach the total; those without a date, or before a delivery without one, count. */
function prepaymentInFull({ offer }: FlagContext): string | null {
  const { prepayments, metrics, terms } = offer
  const { firstDelivery } = metrics
  const isBefore = (date: string | null) => date === null || firstDelivery === null || date < firstDelivery
  const prepaid = sum(prepayments.map(({ amount, dueDate }) => (isBefore(dueDate) ? Math.max(0, amount ?? 0) : 0)))
  const total = totalOf(offer)
  if (total === null || prepaid < total * FULL) return null
  const [paid, all] = [prepaid, total].map((amount) => formatMoney(amount, terms.currency))
  const before = firstDelivery === null ? 'delivery' : `the first delivery, on ${firstDelivery}`
  return `Pre-payments of ${paid} are due before ${before}; the total is ${all}.`
}

/** A vintage of a year that was asked for whose period begins in an earlier one. */
function beginsEarly({ offer, rfq: { minVintageYear: earliest } }: FlagContext): string | null {
  if (earliest === null) return null
  const [first] = offer.lines
    .flatMap(({ periodStart, vintageYear }) =>
      vintageYear !== null && vintageYear >= earliest ? (periodStart ?? []) : [],
    )
    .sort()
  if (first === undefined || yearOf(first) >= earliest) return null
  return `A vintage begins in ${first.slice(0, 7)}, before ${earliest}, the earliest year asked for.`
}
