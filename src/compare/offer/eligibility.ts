import { truncate } from '../../core/number-format.js'
import { round6 } from '../../core/numbers.js'
import type { Settings } from '../../core/settings.js'
import { type CurrencyReport, rateInto } from '../comparison-currency.js'
import type { Metrics } from './metrics.js'
import type { OfferFacts } from './offer-terms.js'

/** In the comparison currency. */
export interface ComparedAmounts {
  /** What one unit of the offer's currency is worth in the comparison currency; null if no rate is known. */
  rate: number | null
  /** metrics.total × rate: the amount paid. Awards add these. */
  total: number | null
  /** metrics.pricePerTonne × rate: statistics and charts show this. */
  pricePerTonne: number | null
  /** ROUND(metrics.riskAdjustedPrice × rate, 6): determines the price rank and the price score. */
  price: number | null
}

/** Whether the offer is ranked and can be awarded. */
export interface Eligibility {
  eligible: boolean
  exclusions: Exclusion[]
}

export interface Exclusion {
  code:
    | 'no-offer'
    | 'rejected'
    | 'withdrawn'
    | 'expired'
    | 'no-volume'
    | 'no-price'
    | 'no-currency'
    | 'no-exchange-rate'
  words: string
}

/** Converts the offer's amounts into the comparison currency. */
export function convertAmounts(
  currencyCode: string | null,
  metrics: Metrics,
  currency: CurrencyReport,
): ComparedAmounts {
  const rate = currencyCode === null ? null : rateInto(currency, currencyCode)
  const converted = (amount: number | null) => (amount === null || rate === null ? null : amount * rate)
  const price = converted(metrics.riskAdjustedPrice)
  return {
    rate,
    total: converted(metrics.total),
    pricePerTonne: converted(metrics.pricePerTonne),
    price: price === null ? null : round6(price),
  }
}

interface Candidate {
  facts: OfferFacts
  missingSince: string | null
  metrics: Metrics
  compared: ComparedAmounts
}

/** Whether an offer can be ranked and awarded, with all reasons for exclusion. */
export function eligibilityOf(offer: Candidate, currency: CurrencyReport, settings: Settings): Eligibility {
  const exclusions = offer.facts.hasOffer
    ? [...statusExclusions(offer, settings), ...priceExclusions(offer), ...currencyExclusions(offer, currency)]
    : [exclusion('no-offer', 'The response contains no readable offer.')]
  return { eligible: exclusions.length === 0, exclusions }
}

const exclusion = (code: Exclusion['code'], words: string): Exclusion => ({ code, words })

function* statusExclusions({ facts, missingSince }: Candidate, settings: Settings) {
  const { expiryDate, daysToExpiry } = facts.terms
  if (facts.status === 'rejected') yield exclusion('rejected', 'The offer was rejected.')
  if (missingSince !== null)
    yield exclusion('withdrawn', `The offer has been missing from the RFQ since ${missingSince}.`)
  const binding = facts.status === 'accepted' || settings.rankExpired
  if (daysToExpiry !== null && daysToExpiry < 0 && !binding) {
    yield exclusion('expired', `The offer expired on ${expiryDate}.`)
  }
}

function* priceExclusions({ facts, metrics, compared }: Candidate) {
  if (metrics.riskAdjustedPrice === null) {
    const noVolume = metrics.sumVolume <= 0 && (facts.terms.statedVolume ?? 0) <= 0
    yield exclusion(noVolume ? 'no-volume' : 'no-price', metrics.reasons.riskAdjustedPrice ?? '')
  } else if (compared.price !== null && compared.price <= 0) {
    yield exclusion('no-price', 'The price per tonne rounds to 0 at six decimals.')
  }
}

function* currencyExclusions({ facts, compared }: Candidate, currency: CurrencyReport) {
  const { currency: sent, currencyCode } = facts.terms
  if (currencyCode === null) {
    const what = sent === null ? 'The offer states no currency.' : `"${truncate(sent, 20)}" is not a currency code.`
    yield exclusion('no-currency', what)
  } else if (compared.rate === null) {
    const words = currency.rates.find((rate) => rate.currency === currencyCode)?.words ?? ''
    yield exclusion('no-exchange-rate', `The offer is priced in ${currencyCode}. ${words}`)
  }
}
