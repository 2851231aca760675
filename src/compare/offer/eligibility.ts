import type { PriceBasis } from '../../core/decision/settings.js'
import { ratio, round6 } from '../../core/numbers.js'
import { truncate } from '../../core/text/clean-text.js'

import { type CurrencyReport, rateInto } from '../input/comparison-currency.js'
import type { Metrics } from './metrics.js'
import type { OfferFacts } from './offer-terms.js'

/** Why an offer can be part of no award, whatever the requirements. */
export interface Exclusion {
  code:
    | 'no-offer'
    | 'rejected'
    | 'not-open'
    | 'missing'
    | 'no-volume'
    | 'no-price'
    | 'no-currency'
    | 'no-exchange-rate'
    | 'left-out'
  message: string
}

/** Converts the offer's amounts into the comparison currency. */
export function convertAmounts(
  currencyCode: string | null,
  metrics: Metrics,
  currency: CurrencyReport,
  priceBasis: PriceBasis,
) {
  const rate = currencyCode === null ? null : rateInto(currency, currencyCode)
  const converted = (amount: number | null) => (amount === null || rate === null ? null : amount * rate)
  const presentValuePerTonne = converted(metrics.presentValuePerTonne)
  const cost = converted(priceBasis === 'quoted' ? metrics.total : metrics.presentValue)
  const pricePerTonne = converted(metrics.pricePerTonne)
  const costPerTonne = ratio(cost, metrics.volume)
  return {
    /** What one unit of the offer's currency is worth; null if no rate is known. */
    rate,
    total: converted(metrics.total),
    pricePerTonne,
    /** In the RFQ's own currency: its limits are compared with this. */
    pricePerTonneOfRfq:
      currencyCode !== null && currencyCode === currency.rfq
        ? metrics.pricePerTonne
        : ratio(pricePerTonne, rateInto(currency, currency.rfq)),
    presentValuePerTonne: presentValuePerTonne === null ? null : round6(presentValuePerTonne),
    /** What awards are compared by. */
    cost,
    /** Determines the rank. */
    costPerTonne: costPerTonne === null ? null : round6(costPerTonne),
  }
}

/** In the comparison currency. */
export type ComparedAmounts = ReturnType<typeof convertAmounts>

interface Candidate {
  facts: OfferFacts
  missingSince: string | null
  metrics: Metrics
  compared: ComparedAmounts
  isLeftOut: boolean
}

/** Every reason why an offer can be part of no award. Only offers that are submitted, and visible, can be; or accepted ones. */
export function exclusionsOf(offer: Candidate, currency: CurrencyReport): Exclusion[] {
  return offer.facts.hasOffer
    ? [...statusExclusions(offer), ...priceExclusions(offer), ...currencyExclusions(offer, currency)]
    : [exclusion('no-offer', 'The response contains no readable offer.')]
}

const exclusion = (code: Exclusion['code'], message: string): Exclusion => ({ code, message })

function* statusExclusions({ facts: { status }, missingSince, isLeftOut }: Candidate) {
  if (isLeftOut) yield exclusion('left-out', 'The offer is left out of this comparison.')
  if (status === 'rejected') yield exclusion('rejected', 'The offer was rejected.')
  else if (status === null) yield exclusion('not-open', 'The offer states no status, so it is not known to be open.')
  else if (status !== 'submitted' && status !== 'accepted')
    yield exclusion('not-open', `The status of the offer is “${truncate(status, 40)}”, not “submitted”.`)
  if (missingSince !== null)
    yield exclusion('missing', `The offer has been missing from the RFQ since ${missingSince.slice(0, 10)}.`)
}

function* priceExclusions({ facts, metrics, compared }: Candidate) {
  if (metrics.presentValuePerTonne === null) {
    const noVolume = metrics.sumVolume <= 0 && (facts.terms.statedVolume ?? 0) <= 0
    yield exclusion(noVolume ? 'no-volume' : 'no-price', metrics.noPrice ?? '')
  } else if (compared.presentValuePerTonne !== null && compared.presentValuePerTonne <= 0) {
    yield exclusion('no-price', 'The price per tonne rounds to 0 at six decimals.')
  }
}

function* currencyExclusions({ facts, compared }: Candidate, currency: CurrencyReport) {
  const { currency: sent, currencyCode } = facts.terms
  if (currencyCode === null) {
    const what = sent === null ? 'The offer states no currency.' : `"${truncate(sent, 20)}" is not a currency code.`
    yield exclusion('no-currency', what)
  } else if (compared.rate === null) {
    const message = currency.rates.find((rate) => rate.currency === currencyCode)?.message ?? ''
    yield exclusion('no-exchange-rate', `The offer is priced in ${currencyCode}. ${message}`)
  }
}

/** Whether it is submitted, and neither missing nor accepted. */
export const isOpen = ({ exclusions, status }: { exclusions: readonly Exclusion[]; status: string | null }): boolean =>
  status !== 'accepted' && !exclusions.some(({ code }) => BY_STATUS.has(code))

/** Whether its volume and total are known, in a currency that can be converted: whatever its status. */
export const isComparable = (exclusions: readonly Exclusion[]): boolean =>
  exclusions.every(({ code }) => BY_STATUS.has(code))
const BY_STATUS: ReadonlySet<Exclusion['code']> = new Set(['rejected', 'not-open', 'missing', 'left-out'])
