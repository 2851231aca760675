import { currencyCode } from '../../compare/rfq/rfq-terms.js'
import { parseStored } from '../../core/documents/observation.js'
import { priceOffer } from '../../core/documents/offer-price.js'
import type { Version } from '../../core/records.js'
import type { History } from '../../store/contract.js'
import type { RfqView } from './rfq-view.js'

/** The prices of one offer over time, each in the currency that the offer then had. */
export interface PriceHistory {
  offerId: string
  points: { at: string; pricePerTonne: number; currency: string | null }[]
}

export interface PriceQuery {
  channel: string
  rfqId: string
  offerIds: readonly string[]
  asOf: Date
}

/** How the prices of some offers changed, oldest first; offers without a price are left out. */
export async function priceHistoryOf(
  store: Pick<History, 'rfqHistory'>,
  { channel, rfqId, offerIds, asOf }: PriceQuery,
): Promise<PriceHistory[]> {
  const versions = await store.rfqHistory(channel, rfqId, asOf)
  return offerIds.flatMap((offerId) => {
    const points = versions.flatMap((version) => {
      const price = version.kind === 'response' && version.id === offerId ? priceOf(version) : null
      return price === null ? [] : [{ at: version.observedAt, ...price }]
    })
    return points.length === 0 ? [] : [{ offerId, points }]
  })
}

function priceOf({ shape, body }: Version): { pricePerTonne: number; currency: string | null } | null {
  const response = parseStored('response', shape, body)
  const offer = response.shape === 'full' ? response.document?.offer : null
  const terms = response.shape === 'full' ? offer : response.document
  const vintages = offer?.scheduledDeliveries.flatMap((delivery) => delivery.vintages) ?? []
  const stated = { volume: terms?.totalVolume ?? null, total: terms?.totalPrice ?? null }
  const { pricePerTonne } = priceOffer(vintages, stated)
  return pricePerTonne === null ? null : { pricePerTonne, currency: currencyCode(terms?.currency ?? null) }
}

/** Prices over time in one currency, so that they can be compared. */
export interface ComparedPrices {
  currency: string | null
  histories: { offerId: string; number: number; awarded: boolean; points: { at: string; pricePerTonne: number }[] }[]
  /** Which prices are left out because they cannot be converted; null if none. */
  leftOut: string | null
}

/**
 * Converts prices into the currency of the comparison, all of them with its exchange rates, so that each step is a change by the seller.
 */
export function comparePrices(
  histories: readonly PriceHistory[],
  { currency: { comparison, rates }, offers }: Pick<RfqView, 'currency' | 'offers'>,
): ComparedPrices {
  const rateOf = (code: string | null) =>
    code !== null && code === comparison ? 1 : (rates.find(({ currency }) => currency === code)?.rate ?? null)
  const leftOut = new Map<string, Set<number>>()
  const compared = histories.flatMap(({ offerId, points }) => {
    const offer = offers.find(({ id }) => id === offerId)
    if (offer === undefined) return []
    const converted = points.flatMap(({ at, pricePerTonne, currency }) => {
      const rate = rateOf(currency)
      if (rate !== null) return [{ at, pricePerTonne: pricePerTonne * rate }]
      const name = currency ?? 'an unknown currency'
      leftOut.set(name, (leftOut.get(name) ?? new Set()).add(offer.number))
      return []
    })
    const { number, awardedTonnes } = offer
    return converted.length === 0 ? [] : [{ offerId, number, awarded: awardedTonnes > 0, points: converted }]
  })
  const parts = [...leftOut].map(([name, numbers]) => `no. ${[...numbers].join(', ')} in ${name}`)
  return {
    currency: comparison,
    histories: compared,
    leftOut: parts.length === 0 ? null : `Not shown, because no exchange rate is known: prices of ${parts.join('; ')}.`,
  }
}
