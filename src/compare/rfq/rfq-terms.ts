import { CURRENCY_CODE } from '../../core/decision/settings.js'
import { nonBlank, plausibleOrNull } from '../../core/numbers.js'
import { formatCount } from '../../core/text/number-format.js'
import { daysBetween } from '../date-math.js'
import { type ComparisonContext, toSource } from '../input/comparison-context.js'
import type { ParsedRfq } from '../input/comparison-input.js'
import { awardWindow } from './award-window.js'

/** What lists show of an RFQ; all null if its document is unusable. */
export function rfqFacts({ document, shape, readState }: Pick<ParsedRfq, 'document' | 'shape' | 'readState'>) {
  return {
    number: plausibleOrNull(document?.number),
    reference: nonBlank(document?.reference),
    title: nonBlank(document?.title),
    state: nonBlank(document?.state),
    responseDueDate: document?.responseDueDate ?? null,
    fulfilmentDueDate: document?.fulfilmentDueDate ?? null,
    minVolume: plausibleOrNull(document?.minVolume),
    maxVolume: plausibleOrNull(document?.maxVolume),
    /** In the RFQ's currency, as sent. */
    minUnitPrice: plausibleOrNull(document?.pricing?.minUnitPrice),
    maxUnitPrice: plausibleOrNull(document?.pricing?.maxUnitPrice),
    currency: nonBlank(document?.pricing?.currency),
    /** Offers that the list shows of an RFQ that was never read itself. */
    unreadOffers: shape === 'list' ? new Set(document?.responses?.map(({ id }) => id)).size : 0,
    readState,
  }
}
export type RfqFacts = ReturnType<typeof rfqFacts>

/** Extracts the terms of an RFQ; all null if its document is unusable. */
export function parseRfqTerms(known: ParsedRfq, { asOfDate, settings }: ComparisonContext) {
  const rfq = known.document
  const facts = rfqFacts(known)
  const { minVolume, maxVolume } = facts
  return {
    source: toSource('rfq', known),
    id: known.id,
    ...facts,
    buyerDescription: nonBlank(rfq?.buyerDescription),
    additionalRequirements: nonBlank(rfq?.additionalRequirements),
    reasonForPurchase: nonBlank(rfq?.reasonForPurchase),
    contractTypes: (rfq?.contractTypes ?? []).filter(nonBlank),
    listingIds: [...(rfq?.listingIds ?? [])],
    createdAt: rfq?.createdAt ?? null,
    updatedAt: rfq?.updatedAt ?? null,
    openedAt: rfq?.openedAt ?? null,
    closedAt: rfq?.closedAt ?? null,
    /** Days from the as-of date; 0 on the due date, negative after it. */
    daysToDue: daysBetween(asOfDate, facts.responseDueDate),
    /** Null: no limit (`Any`, or not stated). */
    minVintageYear: vintageLimit(rfq?.minVintageYear),
    maxVintageYear: vintageLimit(rfq?.maxVintageYear),
    window: awardWindow({ minVolume, maxVolume, unreadable: known.unreadable }, settings),
    /** What it states in a way that cannot be read, `fulfilmentDueDate`: such a limit is unknown, not absent. */
    unreadable: [...known.unreadable],
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

/** `1 offer, not read yet`. */
export const unreadText = (offers: number): string => `${formatCount(offers, 'offer')}, not read yet`

const vintageLimit = (limit: number | string | null | undefined) =>
  typeof limit === 'number' ? plausibleOrNull(limit) : null

/** Normalises a currency to a three-letter code, or null if it is not one. */
export function currencyCode(currency: string | null): string | null {
  const code = currency?.trim().toUpperCase() ?? ''
  return CURRENCY_CODE.test(code) ? code : null
}
