import type { Settings } from '../../core/decision/settings.js'
import { type PriceBasis, priceOffer } from '../../core/documents/offer-price.js'
import { maxOf, minOf, positiveOrNull, ratio, sum } from '../../core/numbers.js'
import type { CalendarDate } from '../input/comparison-input.js'
import type { StatedRfqTerms } from '../rfq/rfq-terms.js'
import { type DeliveryLine, discountFactor, type OfferFacts } from './offer-terms.js'
import {
  EXACT_TOTAL,
  type ReconciliationResult,
  reconcile,
  totalTolerance,
  VOLUME_TOLERANCE,
} from './reconciliation.js'

/** In the offer's own currency. */
export interface Metrics {
  /** Σ volume over the lines (SUMIFS; an absent volume counts 0). */
  sumVolume: number
  /** Σ line total (SUMIFS; an absent total counts 0). */
  sumValue: number
  /**
   * The source of volume and total. `lines`: there are lines, each with a volume ≥ 0 and a price ≥ 0, and both sums are
   * above 0. `stated`: otherwise, if the stated volume and total are both above 0. null: neither applies.
   */
  basis: PriceBasis | null
  /** `sumVolume` or `statedVolume`, depending on the basis. */
  volume: number | null
  /** `sumValue` or `statedTotal`, depending on the basis. */
  total: number | null
  /** statedTotal / statedVolume, if both are above 0. */
  statedPrice: number | null
  /** total / volume (price-per-tonne.ts). */
  pricePerTonne: number | null
  /** statedVolume − sumVolume, if there are lines and each has a volume. */
  volumeDifference: number | null
  /** statedTotal − sumValue, if there are lines and each has a total. */
  totalDifference: number | null
  volumeVerdict: ReconciliationResult
  totalVerdict: ReconciliationResult
  firstDelivery: CalendarDate | null
  lastDelivery: CalendarDate | null
  /** Minimum `vintageYear`. */
  oldestVintage: number | null
  /** Maximum `vintageYear`. */
  newestVintage: number | null
  /** Σ volume × days / Σ volume, over lines with a volume above 0 and a date. */
  meanWaitDays: number | null
  /**
   * Σ volume of lines due on or before the RFQ's fulfilmentDueDate / Σ volume, over lines with a volume above 0. Undated
   * lines count as late. Null if the RFQ states no date or no line has a volume.
   */
  onTimeShare: number | null
  /** Σ MAX(0, amount) over the pre-payments. */
  prepaid: number
  /** prepaid / total; above 1 if the pre-payments exceed the total. Null if unknown, as for a summary. */
  prepaidShare: number | null
  /**
   * Σ MAX(0, amount) × factor + (1 − MIN(1, prepaidShare)) × balance; balance = Σ line total × factor if the basis is
   * `lines`, otherwise the stated total at face value. Pre-payments are part of the total; the balance is paid on delivery,
   * pro rata. Overdue and undated payments count at face value. A summary is assumed to have no pre-payments.
   */
  presentValue: number | null
  presentValuePerTonne: number | null
  /** MIN(1, volume / lower end of the window of an award). */
  coverage: number | null
  /** Why there is no price or present value per tonne, in one sentence; null if there are both. */
  noPrice: string | null
}

/**
 * The figures of one offer, in its own currency. Formulas: `Metrics`.
 * @param rfq provides the requested tonnes and the fulfilment due date
 */
export function metricsOf(facts: OfferFacts, rfq: StatedRfqTerms, settings: Settings): Metrics {
  const { lines, prepayments, terms, hasOffer, shape } = facts
  const price = priceOffer(lines, { volume: terms.statedVolume, total: terms.statedTotal })
  const { basis, volume, total, pricePerTonne, sumVolume, sumValue } = price
  const prepaid = sum(prepayments.map((payment) => Math.max(0, payment.amount ?? 0)))
  const prepaidShare = hasOffer && shape === 'full' ? ratio(prepaid, total) : null
  const volumes = lines.map((line) => line.volume)
  const totals = lines.map((line) => line.total)
  const volumeDifference = differenceOf(terms.statedVolume, volumes, sumVolume)
  const totalDifference = differenceOf(terms.statedTotal, totals, sumValue)
  const dueDates = lines.map((line) => line.dueDate)
  const withVolume = lines.filter((line) => (line.volume ?? 0) > 0)
  const presentValue = presentValueOf(facts, { basis, total, prepaidShare }, settings.discountRate)
  const presentValuePerTonne = ratio(presentValue, volume)
  return {
    basis,
    volume,
    total,
    pricePerTonne,
    sumVolume,
    sumValue,
    statedPrice: ratio(positiveOrNull(terms.statedTotal), positiveOrNull(terms.statedVolume)),
    prepaid,
    prepaidShare,
    volumeDifference,
    totalDifference,
    volumeVerdict: reconcile(volumeDifference, VOLUME_TOLERANCE, VOLUME_TOLERANCE),
    totalVerdict: reconcile(totalDifference, EXACT_TOTAL, totalTolerance(terms.statedTotal)),
    firstDelivery: minOf(dueDates),
    lastDelivery: maxOf(dueDates),
    oldestVintage: minOf(lines.map((line) => line.vintageYear)),
    newestVintage: maxOf(lines.map((line) => line.vintageYear)),
    meanWaitDays: meanWaitDays(withVolume),
    onTimeShare: onTimeShare(withVolume, rfq.fulfilmentDueDate),
    presentValue,
    presentValuePerTonne,
    coverage: coverageOf(volume, rfq.window.lower),
    noPrice: pricePerTonne === null || presentValuePerTonne === null ? noPriceReason(facts) : null,
  }
}

/** MIN(1, volume / wanted). */
export function coverageOf(volume: number | null, wanted: number | null): number | null {
  if (volume === null || wanted === null) return null
  return volume >= wanted ? 1 : volume / wanted
}

// An incomplete sum cannot be reconciled with the stated figure.
const differenceOf = (stated: number | null, parts: (number | null)[], total: number) =>
  stated === null || parts.length === 0 || parts.includes(null) ? null : stated - total

function onTimeShare(lines: readonly DeliveryLine[], dueDate: CalendarDate | null): number | null {
  if (dueDate === null) return null
  const onTime = lines.filter((line) => line.dueDate !== null && line.dueDate <= dueDate)
  return ratio(volumeOf(onTime), volumeOf(lines))
}

function meanWaitDays(lines: readonly DeliveryLine[]): number | null {
  const dated = lines.filter((line) => line.days !== null)
  return ratio(sum(dated.map((line) => (line.volume ?? 0) * (line.days ?? 0))), volumeOf(dated))
}

const volumeOf = (lines: readonly DeliveryLine[]) => sum(lines.map((line) => line.volume ?? 0))

/**
 * The present value of an offer's payments at the as-of date (`Metrics.presentValue`).
 * @param rate yearly, as a fraction
 */
function presentValueOf(
  { lines, prepayments }: Pick<OfferFacts, 'lines' | 'prepayments'>,
  { basis, total, prepaidShare }: Pick<Metrics, 'basis' | 'total' | 'prepaidShare'>,
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
