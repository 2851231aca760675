import { round6 } from '../../core/numbers.js'
import type { Timestamp } from '../../core/time/clock.js'
import { type FlagValue, flagValue } from '../flag.js'
import { type CurrencyReport, rateInto } from '../input/comparison-currency.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import type { ComparedAmounts } from './eligibility.js'
import type { Metrics } from './metrics.js'
import type { DeliveryLine, OfferTerms } from './offer-terms.js'
import { allTonnesOf } from './price-per-tonne.js'

/** The requirements an RFQ can state. */
export const REQUIREMENTS = [
  'price-max',
  'price-min',
  'volume-min',
  'volume-max',
  'vintage-min',
  'vintage-max',
  'delivery',
  'contract-type',
  'on-time',
  'listing',
] as const

export interface Requirement {
  code: (typeof REQUIREMENTS)[number]
  /** The RFQ's limit and the offer's value. Prices are in the RFQ's currency. */
  asked: FlagValue
  found: FlagValue
  /** null: not determinable. */
  met: boolean | null
}

/** The parts of an offer that requirements are evaluated against. */
export interface OfferUnderEvaluation {
  listingId: string | null
  submittedAt: Timestamp | null
  late: boolean | null
  terms: OfferTerms
  lines: DeliveryLine[]
  metrics: Metrics
  compared: ComparedAmounts
}

type Rule = (offer: OfferUnderEvaluation, rfq: RfqTerms, currency: CurrencyReport) => Omit<Requirement, 'code'> | null

/** Each rule returns null if the RFQ does not state the requirement. */
const RULES = Object.entries({
  'price-max': (offer, rfq, currency) =>
    priceRule('maximum of the RFQ', rfq.maxUnitPrice, offer, currency, (price, limit) => price <= limit),
  'price-min': (offer, rfq, currency) =>
    priceRule('minimum of the RFQ', rfq.minUnitPrice, offer, currency, (price, limit) => price >= limit),
  'volume-min': (offer, rfq) =>
    volumeRule('minimum of the RFQ', rfq.minVolume, offer, (volume, limit) => volume >= limit),
  'volume-max': (offer, rfq) =>
    volumeRule('maximum of the RFQ', rfq.maxVolume, offer, (volume, limit) => volume <= limit),
  'vintage-min': (offer, rfq) =>
    vintageRule(
      'oldest vintage',
      offer.metrics.oldestVintage,
      'earliest year of the RFQ',
      rfq.minVintageYear,
      offer,
      1,
    ),
  'vintage-max': (offer, rfq) =>
    vintageRule('newest vintage', offer.metrics.newestVintage, 'latest year of the RFQ', rfq.maxVintageYear, offer, -1),
  delivery: deliveryRule,
  'contract-type': contractRule,
  'on-time': onTimeRule,
  listing: listingRule,
} satisfies Record<Requirement['code'], Rule>) as [Requirement['code'], Rule][]

/** Evaluates each requirement that the RFQ states. */
export function evaluateRequirements(
  offer: OfferUnderEvaluation,
  rfq: RfqTerms,
  currency: CurrencyReport,
): Requirement[] {
  const requirements: Requirement[] = []
  for (const [code, rule] of RULES) {
    const evaluated = rule(offer, rfq, currency)
    if (evaluated === null) continue
    const { found, asked, met } = evaluated
    requirements.push({ code, found, asked, met })
  }
  return requirements
}

/** Whether the review of an offer rejected it. Such an offer never counts as compliant, whatever the settings. */
export const isReviewRejected = ({ terms }: Pick<OfferUnderEvaluation, 'terms'>): boolean =>
  terms.review?.status?.trim().toLowerCase() === 'rejected'

type Comparison = (found: number, limit: number) => boolean

function priceRule(
  what: string,
  limit: number | null,
  offer: OfferUnderEvaluation,
  currency: CurrencyReport,
  holds: Comparison,
) {
  if (limit === null) return null
  const price = priceInRfqCurrency(offer, currency)
  const unit = `${currency.rfq ?? ''}/t`
  return compareWithLimit(flagValue('price per tonne', price, unit), flagValue(what, limit, unit), holds)
}

/** The offer's price per tonne in the RFQ's currency; null if the RFQ states none or there is no rate. */
function priceInRfqCurrency(offer: OfferUnderEvaluation, currency: CurrencyReport): number | null {
  if (currency.rfq === null) return null
  if (currency.rfq === offer.terms.currencyCode) return offer.metrics.pricePerTonne
  const rate = rateInto(currency, currency.rfq)
  return offer.compared.pricePerTonne === null || rate === null ? null : offer.compared.pricePerTonne / rate
}

function volumeRule(what: string, limit: number | null, offer: OfferUnderEvaluation, holds: Comparison) {
  if (limit === null) return null
  return compareWithLimit(flagValue('volume', allTonnesOf(offer), 't'), flagValue(what, limit, 't'), holds)
}

function vintageRule(
  whatFound: string,
  found: number | null,
  whatAsked: string,
  limit: number | null,
  offer: OfferUnderEvaluation,
  sign: 1 | -1,
) {
  if (limit === null) return null
  const evaluated = compareWithLimit(
    flagValue(whatFound, found, null),
    flagValue(whatAsked, limit, null),
    (a, b) => a * sign >= b * sign,
  )
  const complete = offer.lines.every((line) => line.vintageYear !== null)
  return { ...evaluated, met: evaluated.met === true && !complete ? null : evaluated.met }
}

function deliveryRule(offer: OfferUnderEvaluation, rfq: RfqTerms) {
  const due = rfq.fulfilmentDueDate
  if (due === null) return null
  const last = offer.metrics.lastDelivery
  const complete = offer.lines.every((line) => line.dueDate !== null)
  const inTime = last === null ? null : last <= due
  const met = inTime === true && !complete ? null : inTime
  return { found: flagValue('last delivery', last, null), asked: flagValue('fulfilment due date', due, null), met }
}

function contractRule({ terms }: OfferUnderEvaluation, rfq: RfqTerms) {
  if (rfq.contractTypes.length === 0) return null
  const found = flagValue('contract type', terms.contractType, null)
  const asked = flagValue('asked for', rfq.contractTypes.join(', '), null)
  return { found, asked, met: terms.contractType === null ? null : rfq.contractTypes.includes(terms.contractType) }
}

function onTimeRule({ submittedAt, late }: OfferUnderEvaluation, rfq: RfqTerms) {
  if (rfq.responseDueDate === null) return null
  const asked = flagValue('response due date', rfq.responseDueDate, null)
  return { found: flagValue('submitted', submittedAt, null), asked, met: late === null ? null : !late }
}

function listingRule({ listingId }: OfferUnderEvaluation, rfq: RfqTerms) {
  if (rfq.listingIds.length === 0) return null
  const found = flagValue('listing', listingId, null)
  const asked = flagValue('listings requested', rfq.listingIds.length, null)
  return { found, asked, met: listingId === null ? null : rfq.listingIds.includes(listingId) }
}

// Rounded, so that floating-point noise does not put 12.000000000000002 above 12.
function compareWithLimit(
  found: FlagValue & { value: number | null },
  asked: FlagValue & { value: number },
  holds: Comparison,
) {
  const met = found.value === null ? null : holds(round6(found.value), round6(asked.value))
  return { found, asked, met }
}
