import { CURRENCY_CODE } from '../../core/decision/settings.js'
import type { DocumentShape } from '../../core/documents/documents.js'
import { nonBlank, plausibleOrNull } from '../../core/numbers.js'
import { formatCount } from '../../core/text/number-format.js'
import { daysBetween } from '../date-math.js'
import { type ComparisonContext, toSource } from '../input/comparison-context.js'
import type { ParsedRfq } from '../input/comparison-input.js'
import { awardWindow } from './award-window.js'

/** Extracts the terms of an RFQ; all null if its document is unusable. */
export function parseRfqTerms(known: ParsedRfq, { asOfDate, settings }: ComparisonContext) {
  const rfq = known.document
  const minVolume = plausibleOrNull(rfq?.minVolume)
  const maxVolume = plausibleOrNull(rfq?.maxVolume)
  return {
    source: toSource('rfq', known),
    id: known.id,
    number: plausibleOrNull(rfq?.number),
    reference: nonBlank(rfq?.reference),
    title: nonBlank(rfq?.title),
    state: nonBlank(rfq?.state),
    buyerDescription: nonBlank(rfq?.buyerDescription),
    additionalRequirements: nonBlank(rfq?.additionalRequirements),
    reasonForPurchase: nonBlank(rfq?.reasonForPurchase),
    contractTypes: (rfq?.contractTypes ?? []).filter(nonBlank),
    listingIds: [...(rfq?.listingIds ?? [])],
    createdAt: rfq?.createdAt ?? null,
    updatedAt: rfq?.updatedAt ?? null,
    openedAt: rfq?.openedAt ?? null,
    closedAt: rfq?.closedAt ?? null,
    responseDueDate: rfq?.responseDueDate ?? null,
    /** Days from the as-of date; 0 on the due date, negative after it. */
    daysToDue: daysBetween(asOfDate, rfq?.responseDueDate ?? null),
    fulfilmentDueDate: rfq?.fulfilmentDueDate ?? null,
    minVolume,
    maxVolume,
    /** Null: no limit (`Any`, or not stated). */
    minVintageYear: vintageLimit(rfq?.minVintageYear),
    maxVintageYear: vintageLimit(rfq?.maxVintageYear),
    /** In the RFQ's currency, as sent. */
    minUnitPrice: plausibleOrNull(rfq?.pricing?.minUnitPrice),
    maxUnitPrice: plausibleOrNull(rfq?.pricing?.maxUnitPrice),
    currency: nonBlank(rfq?.pricing?.currency),
    window: awardWindow({ minVolume, maxVolume, unreadable: known.unreadable }, settings),
    /** What it states in a way that cannot be read, `fulfilmentDueDate`: such a limit is unknown, not absent. */
    unreadable: [...known.unreadable],
    unreadOffers: unreadOffersOf(known.shape, rfq),
    readState: known.readState,
    missingSince: known.missingSince,
  }
}

/** RFQ terms as stated, before limits are converted into the comparison currency. */
export type StatedRfqTerms = ReturnType<typeof parseRfqTerms>

export interface RfqTerms extends StatedRfqTerms {
  /** The limits in the comparison currency; null without a limit or an exchange rate. */
  comparedMinUnitPrice: number | null
  comparedMaxUnitPrice: number | null
}

/** Offers that the list shows of an RFQ that was never read itself; 0 of one that was. */
export const unreadOffersOf = (
  shape: DocumentShape,
  document: { responses?: readonly { id: string }[] | null } | null,
): number => (shape === 'list' ? new Set(document?.responses?.map(({ id }) => id)).size : 0)

/** `1 offer, not read yet`. */
export const unreadText = (offers: number): string => `${formatCount(offers, 'offer')}, not read yet`

const vintageLimit = (limit: number | string | null | undefined) =>
  typeof limit === 'number' ? plausibleOrNull(limit) : null

/** Normalises a currency to a three-letter code, or null if it is not one. */
export function currencyCode(currency: string | null): string | null {
  const code = currency?.trim().toUpperCase() ?? ''
  return CURRENCY_CODE.test(code) ? code : null
}
