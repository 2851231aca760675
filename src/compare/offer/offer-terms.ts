import type { Offer, PrePayment, ScheduledDelivery, Vintage } from '../../core/documents/observation.js'
import { nonBlank, plausibleOrNull } from '../../core/numbers.js'
import { daysBetween, yearOf } from '../date-math.js'
import type { ComparisonContext } from '../input/comparison-context.js'
import type { ParsedResponse } from '../input/comparison-input.js'
import { currencyCode } from '../rfq/rfq-terms.js'

/** Extracts the content of a response; all null if its document is unusable. */
export function offerFacts(known: ParsedResponse, context: ComparisonContext) {
  const response = known.document
  const offer = response?.offer ?? null
  return {
    /** False if the document is unusable or contains no offer. */
    hasOffer: offer !== null,
    /** What the offer states in a way that cannot be read: `expiryDate`. */
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

/** The content of a response, flat; the same for both shapes. */
export type OfferFacts = ReturnType<typeof offerFacts>

function offerTerms(offer: Offer | null, { asOfDate }: ComparisonContext) {
  const currency = nonBlank(offer?.currency)
  const expiryDate = offer?.expiryDate ?? null
  return {
    contractType: nonBlank(offer?.contractType),
    /** As sent. */
    currency,
    /** As a three-letter code; null if it is not one. */
    currencyCode: currencyCode(currency),
    statedVolume: plausibleOrNull(offer?.totalVolume),
    statedTotal: plausibleOrNull(offer?.totalPrice),
    expiryDate,
    /** Days from the as-of date; negative if expired. */
    daysToExpiry: daysBetween(asOfDate, expiryDate),
    notes: nonBlank(offer?.additionalNotesToBuyer),
    review: reviewOf(offer),
  }
}

export type OfferTerms = ReturnType<typeof offerTerms>

function reviewOf(offer: Offer | null) {
  if (!offer?.review) return null
  const { status, source, comment, createdAt, updatedAt } = offer.review
  return { status: nonBlank(status), source: nonBlank(source), comment: nonBlank(comment), createdAt, updatedAt }
}

/** One line for each vintage of a scheduled delivery: a delivery without vintages has none. */
function linesOf(delivery: ScheduledDelivery, index: number, context: ComparisonContext) {
  const dueDate = delivery.fulfilmentDueDate
  const days = daysBetween(context.asOfDate, dueDate)
  const factor = discountFactor(days, context.settings.discountRate)
  const method = nonBlank(delivery.fulfilmentMethod)
  return delivery.vintages.map((vintage, at) => {
    const { reportingPeriodStart: periodStart, reportingPeriodEnd: periodEnd } = vintage
    const volume = plausibleOrNull(vintage.volume)
    const unitPrice = plausibleOrNull(vintage.unitPrice)
    return {
      /** 1, 2, … as sent. */
      delivery: index + 1,
      vintage: at + 1,
      dueDate,
      /** Days from the as-of date to the due date; negative if past. */
      days,
      method,
      periodStart,
      periodEnd,
      vintageYear: vintageYear(vintage),
      name: nonBlank(vintage.name),
      mitigationTypes: [...vintage.mitigationTypes],
      volume,
      unitPrice,
      /** volume × unitPrice; null if either is null. */
      total: volume === null || unitPrice === null ? null : volume * unitPrice,
      discountFactor: factor,
    }
  })
}

export type DeliveryLine = ReturnType<typeof linesOf>[number]

/** The `name` of a vintage, if that is a year within its period; otherwise the year in which the period ends or, if the end is unknown, starts. */
function vintageYear({ name, reportingPeriodStart: start, reportingPeriodEnd: end }: Vintage): number | null {
  const [first, last] = [start ?? end, end ?? start]
  if (first === null || last === null) return null
  const named = /^\s*\d{4}\s*$/.test(name ?? '') ? Number(name) : null
  return named !== null && named >= yearOf(first) && named <= yearOf(last) ? named : yearOf(last)
}

function prepaymentOf(payment: PrePayment, index: number, { asOfDate, settings }: ComparisonContext) {
  const days = daysBetween(asOfDate, payment.paymentDueDate)
  return {
    /** 1, 2, … as sent. */
    number: index + 1,
    amount: plausibleOrNull(payment.amount),
    dueDate: payment.paymentDueDate,
    days,
    discountFactor: discountFactor(days, settings.discountRate),
  }
}

export type PrepaymentLine = ReturnType<typeof prepaymentOf>

/** 1 / (1 + rate) ^ (MAX(0, days) / 365); 1 if undated: overdue and undated payments count at face value. */
export function discountFactor(days: number | null, rate: number): number {
  return 1 / (1 + rate) ** (Math.max(0, days ?? 0) / 365)
}
