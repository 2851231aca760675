import type {
  Offer,
  PrePayment,
  ResponseSummary,
  ScheduledDelivery,
  Vintage,
} from '../../core/documents/observation.js'
import { nonBlank, plausibleOrNull } from '../../core/numbers.js'
import type { Timestamp } from '../../core/time/clock.js'
import { daysBetween, yearOf } from '../date-math.js'
import type { ComparisonContext } from '../input/comparison-context.js'
import type { CalendarDate, ParsedResponse } from '../input/comparison-input.js'
import { currencyCode } from '../rfq/rfq-terms.js'

export interface OfferTerms {
  contractType: string | null
  /** As sent. */
  currency: string | null
  /** `currency` as a three-letter code; null if it is not one. */
  currencyCode: string | null
  statedVolume: number | null
  statedTotal: number | null
  expiryDate: CalendarDate | null
  /** Days from the as-of date; negative if expired. */
  daysToExpiry: number | null
  notes: string | null
  review: ReviewReport | null
}

export interface ReviewReport {
  status: string | null
  source: string | null
  comment: string | null
  createdAt: Timestamp | null
  updatedAt: Timestamp | null
}

/** One vintage of one scheduled delivery. A delivery without vintages has no line. */
export interface DeliveryLine {
  /** 1, 2, … as sent. */
  delivery: number
  vintage: number
  dueDate: CalendarDate | null
  /** Days from the as-of date to the due date; negative if past. */
  days: number | null
  method: string | null
  periodStart: CalendarDate | null
  periodEnd: CalendarDate | null
  /** The `name` of the vintage, if that is a year within the reporting period; otherwise the year in which the period ends or, if the end is unknown, starts. */
  vintageYear: number | null
  name: string | null
  mitigationTypes: string[]
  volume: number | null
  unitPrice: number | null
  /** volume × unitPrice; null if either is null. */
  total: number | null
  /** 1 / (1 + discount rate) ^ (MAX(0, days) / 365); 1 if undated. */
  discountFactor: number
}

export interface PrepaymentLine {
  /** 1, 2, … as sent. */
  number: number
  amount: number | null
  dueDate: CalendarDate | null
  days: number | null
  /** As for a delivery line. */
  discountFactor: number
}

/** The content of a response, flattenVersion; the same for both shapes. */
export interface OfferFacts {
  shape: 'full' | 'summary'
  listingId: string | null
  developer: string | null
  project: string | null
  status: string | null
  submittedAt: Timestamp | null
  terms: OfferTerms
  lines: DeliveryLine[]
  prepayments: PrepaymentLine[]
  /** False if the document is unusable or contains no offer. */
  hasOffer: boolean
  /** What the offer states in a way that cannot be read: `expiryDate`. */
  unreadable: string[]
}

/** Extracts the content of a response; all null if its document is unusable. */
export function offerFacts(known: ParsedResponse, context: ComparisonContext): OfferFacts {
  const response = known.document
  const offer: Offer | null = known.shape === 'full' ? (known.document?.offer ?? null) : summaryAsOffer(known.document)
  return {
    hasOffer: offer !== null,
    unreadable: known.unreadable.map((path) => path.replace(/^offer\./, '')),
    shape: known.shape,
    listingId: nonBlank(response?.listingId),
    developer: nonBlank(response?.projectDeveloperName),
    project: nonBlank(response?.projectName),
    status: nonBlank(response?.status),
    submittedAt: response?.submittedAt ?? null,
    terms: offerTerms(offer, context),
    lines: (offer?.scheduledDeliveries ?? []).flatMap((delivery, index) => linesOf(delivery, index, context)),
    prepayments: (offer?.prePayments ?? []).map((payment, index) => prepaymentOf(payment, index, context)),
  }
}

function summaryAsOffer(summary: ResponseSummary | null): Offer | null {
  if (summary === null) return null
  const { contractType, currency, totalVolume, totalPrice, expiryDate } = summary
  const unknown = { scheduledDeliveries: [], prePayments: [], additionalNotesToBuyer: null, review: null }
  return { contractType, currency, totalVolume, totalPrice, expiryDate, ...unknown }
}

function offerTerms(offer: Offer | null, { asOfDate }: ComparisonContext): OfferTerms {
  const currency = nonBlank(offer?.currency)
  const expiryDate = offer?.expiryDate ?? null
  return {
    contractType: nonBlank(offer?.contractType),
    currency,
    currencyCode: currencyCode(currency),
    statedVolume: plausibleOrNull(offer?.totalVolume),
    statedTotal: plausibleOrNull(offer?.totalPrice),
    expiryDate,
    daysToExpiry: daysBetween(asOfDate, expiryDate),
    notes: nonBlank(offer?.additionalNotesToBuyer),
    review: reviewOf(offer),
  }
}

function reviewOf(offer: Offer | null): OfferTerms['review'] {
  if (!offer?.review) return null
  const { status, source, comment, createdAt, updatedAt } = offer.review
  return { status: nonBlank(status), source: nonBlank(source), comment: nonBlank(comment), createdAt, updatedAt }
}

function linesOf(delivery: ScheduledDelivery, index: number, context: ComparisonContext): DeliveryLine[] {
  const dueDate = delivery.fulfilmentDueDate
  const days = daysBetween(context.asOfDate, dueDate)
  const factor = discountFactor(days, context.settings.discountRate)
  const method = nonBlank(delivery.fulfilmentMethod)
  return delivery.vintages.map((vintage, at) => {
    const { reportingPeriodStart: periodStart, reportingPeriodEnd: periodEnd } = vintage
    const volume = plausibleOrNull(vintage.volume)
    const unitPrice = plausibleOrNull(vintage.unitPrice)
    return {
      delivery: index + 1,
      vintage: at + 1,
      dueDate,
      days,
      method,
      periodStart,
      periodEnd,
      vintageYear: vintageYear(vintage),
      name: nonBlank(vintage.name),
      mitigationTypes: [...vintage.mitigationTypes],
      volume,
      unitPrice,
      total: volume === null || unitPrice === null ? null : volume * unitPrice,
      discountFactor: factor,
    }
  })
}

function vintageYear({ name, reportingPeriodStart: start, reportingPeriodEnd: end }: Vintage): number | null {
  const [first, last] = [start ?? end, end ?? start]
  if (first === null || last === null) return null
  const named = /^\s*\d{4}\s*$/.test(name ?? '') ? Number(name) : null
  return named !== null && named >= yearOf(first) && named <= yearOf(last) ? named : yearOf(last)
}

function prepaymentOf(payment: PrePayment, index: number, { asOfDate, settings }: ComparisonContext): PrepaymentLine {
  const days = daysBetween(asOfDate, payment.paymentDueDate)
  return {
    number: index + 1,
    amount: plausibleOrNull(payment.amount),
    dueDate: payment.paymentDueDate,
    days,
    discountFactor: discountFactor(days, settings.discountRate),
  }
}

/** 1 / (1 + rate) ^ (MAX(0, days) / 365); 1 if undated: overdue and undated payments count at face value. */
export function discountFactor(days: number | null, rate: number): number {
  return 1 / (1 + rate) ** (Math.max(0, days ?? 0) / 365)
}
