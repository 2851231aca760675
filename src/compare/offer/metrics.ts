import type { Settings } from '../../core/decision/settings.js'
import { type PriceBasis, priceOffer } from '../../core/documents/offer-price.js'
import { maxOf, minOf, ratio, round6, sum } from '../../core/numbers.js'
import type { StatedRfqTerms } from '../rfq/rfq-terms.js'
import { discountFactor, type OfferFacts } from './offer-terms.js'

/**
 * The figures of one offer, in its own currency; null is unknown.
 * @param rfq provides the requested tonnes
 */
export function metricsOf(facts: OfferFacts, rfq: StatedRfqTerms, settings: Settings) {
  const { lines, prepayments, terms, hasOffer, shape } = facts
  const price = priceOffer(lines, { volume: terms.statedVolume, total: terms.statedTotal })
  const { basis, volume, total, pricePerTonne, sumVolume, sumValue } = price
  const prepaid = sum(prepayments.map((payment) => Math.max(0, payment.amount ?? 0)))
  const prepaidShare = hasOffer && shape === 'full' ? ratio(prepaid, total) : null
  const dueDates = lines.map((line) => line.dueDate)
  const presentValue = presentValueOf(facts, { basis, total, prepaidShare }, settings.discountRate)
  const presentValuePerTonne = ratio(presentValue, volume)
  return {
    /** `lines`: every line has a volume and a price, and both sums are above 0; else `stated` if both stated figures are. */
    basis,
    volume,
    total,
    pricePerTonne,
    /** Over the lines; what is absent counts 0. */
    sumVolume,
    sumValue,
    prepaid,
    /** Of the total; null of a summary, which has no pre-payments. */
    prepaidShare,
    /** Whether a stated figure differs from that of the lines. */
    isOtherVolume: differs(
      terms.statedVolume,
      lines.map(({ volume }) => volume),
      VOLUME_TOLERANCE,
    ),
    isOtherTotal: differs(
      terms.statedTotal,
      lines.map(({ total }) => total),
      Math.max(CENT, TOTAL_TOLERANCE * Math.abs(terms.statedTotal ?? 0)),
    ),
    firstDelivery: minOf(dueDates),
    lastDelivery: maxOf(dueDates),
    oldestVintage: minOf(lines.map((line) => line.vintageYear)),
    newestVintage: maxOf(lines.map((line) => line.vintageYear)),
    presentValue,
    presentValuePerTonne,
    coverage: coverageOf(volume, rfq.window.lower),
    /** Why there is no price or present value per tonne, in one sentence. */
    noPrice: pricePerTonne === null || presentValuePerTonne === null ? noPriceReason(facts) : null,
  }
}

export type Metrics = ReturnType<typeof metricsOf>

/** MIN(1, volume / wanted). */
export function coverageOf(volume: number | null, wanted: number | null): number | null {
  if (volume === null || wanted === null) return null
  return volume >= wanted ? 1 : volume / wanted
}

/** Tonnes by which a stated volume may differ from the sum of its lines. */
const VOLUME_TOLERANCE = 0.5
/** Share of a stated total by which it may differ from the sum of its lines; a cent at least. */
const TOTAL_TOLERANCE = 0.001
const CENT = 0.01

/** Rounded, so that floating-point noise is no cent. An incomplete sum cannot be compared. */
const differs = (stated: number | null, parts: readonly (number | null)[], tolerance: number): boolean =>
  stated !== null &&
  parts.length > 0 &&
  !parts.includes(null) &&
  round6(Math.abs(stated - sum(parts.map((part) => part ?? 0)))) > round6(tolerance)

/**
 * The present value of an offer's payments at the as-of date: pre-payments are part of the total, and the balance is paid on delivery,
 * pro rata; the stated total counts at face value, as do overdue and undated payments.
 * @param rate yearly, as a fraction
 */
function presentValueOf(
  { lines, prepayments }: Pick<OfferFacts, 'lines' | 'prepayments'>,
  { basis, total, prepaidShare }: { basis: PriceBasis | null; total: number | null; prepaidShare: number | null },
  rate: number,
): number | null {
  if (basis === null || total === null) return null
  const advance = sum(prepayments.map(({ amount, days }) => Math.max(0, amount ?? 0) * discountFactor(days, rate)))
  const balance =
    basis === 'lines' ? sum(lines.map((line) => (line.total ?? 0) * discountFactor(line.days, rate))) : total
  return advance + (1 - Math.min(1, prepaidShare ?? 0)) * balance
}

function noPriceReason({ lines, terms }: OfferFacts): string {
  const hasVolume = (terms.statedVolume ?? 0) > 0 || lines.some(({ volume }) => (volume ?? 0) > 0)
  const hasPrice = (terms.statedTotal ?? 0) > 0 || lines.some(({ unitPrice }) => (unitPrice ?? 0) > 0)
  if (hasVolume && hasPrice)
    return 'Neither the delivery lines nor the stated figures give a volume and a total above 0.'
  if (hasVolume) return 'The offer states no price above 0.'
  return hasPrice ? 'The offer states no volume above 0.' : 'The offer states neither a volume nor a price above 0.'
}
