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
export function exclusionsOf(
  { facts, missingSince, metrics, compared, isLeftOut }: Candidate,
  currency: CurrencyReport,
): Exclusion[] {
  const found: Exclusion[] = []
  const exclude = (code: Exclusion['code'], message: string) => found.push({ code, message })
  const { hasOffer, status, terms } = facts
  if (!hasOffer) {
    exclude('no-offer', 'The response contains no readable offer.')
    return found
  }
  if (isLeftOut) exclude('left-out', 'The offer is left out of this comparison.')
  if (status === 'rejected') exclude('rejected', 'The offer was rejected.')
  else if (status === null) exclude('not-open', 'The offer states no status, so it is not known to be open.')
  else if (status !== 'submitted' && status !== 'accepted')
    exclude('not-open', `The status of the offer is “${truncate(status, 40)}”, not “submitted”.`)
  if (missingSince !== null)
    exclude('missing', `The offer has been missing from the RFQ since ${missingSince.slice(0, 10)}.`)
  if (metrics.presentValuePerTonne === null) {
    const noVolume = metrics.sumVolume <= 0 && (terms.statedVolume ?? 0) <= 0
    exclude(noVolume ? 'no-volume' : 'no-price', metrics.noPrice ?? '')
  } else if (compared.presentValuePerTonne !== null && compared.presentValuePerTonne <= 0)
    exclude('no-price', 'The price per tonne rounds to 0 at six decimals.')
  const { currency: sent, currencyCode } = terms
  if (currencyCode === null)
    exclude(
      'no-currency',
      sent === null ? 'The offer states no currency.' : `"${truncate(sent, 20)}" is not a currency code.`,
    )
  else if (compared.rate === null) {
    const message = currency.rates.find((rate) => rate.currency === currencyCode)?.message ?? ''
    exclude('no-exchange-rate', `The offer is priced in ${currencyCode}. ${message}`)
  }
  return found
}

/** Whether it is submitted, and neither missing nor accepted. */
export const isOpen = ({ exclusions, status }: { exclusions: readonly Exclusion[]; status: string | null }): boolean =>
  status !== 'accepted' && !exclusions.some(({ code }) => BY_STATUS.has(code))

/** Whether its volume and total are known, in a currency that can be converted: whatever its status. */
export const isComparable = (exclusions: readonly Exclusion[]): boolean =>
  exclusions.every(({ code }) => BY_STATUS.has(code))
const BY_STATUS: ReadonlySet<Exclusion['code']> = new Set(['rejected', 'not-open', 'missing', 'left-out'])
