import { currencyCode } from '../../compare/rfq/rfq-terms.js'
import { asResponse } from '../../core/changes/compare-documents.js'
import { parseDocument } from '../../core/documents/observation.js'
import { priceOffer } from '../../core/documents/offer-price.js'
import type { Version } from '../../core/records.js'
import type { History } from '../../store/contract.js'
import type { RfqView } from './rfq-view.js'

/** The prices of some offers for an RFQ until a moment, oldest first, each in the currency that the offer then had. */
export async function pricesOf(
  store: Pick<History, 'rfqHistory'>,
  { channel, rfqId, offerIds, asOf }: { channel: string; rfqId: string; offerIds: readonly string[]; asOf: Date },
) {
  const versions = await store.rfqHistory(channel, rfqId, asOf)
  return versions.flatMap((version) => {
    const price = version.kind === 'response' && offerIds.includes(version.id) ? priceOf(version) : null
    return price === null ? [] : [{ offerId: version.id, at: version.observedAt, ...price }]
  })
}
export type OfferPrice = Awaited<ReturnType<typeof pricesOf>>[number]

function priceOf(version: Version): { pricePerTonne: number; currency: string | null } | null {
  const offer = parseDocument('response', asResponse(version)).document?.offer
  const vintages = offer?.scheduledDeliveries.flatMap((delivery) => delivery.vintages) ?? []
  const stated = { volume: offer?.totalVolume ?? null, total: offer?.totalPrice ?? null }
  const { pricePerTonne } = priceOffer(vintages, stated)
  return pricePerTonne === null ? null : { pricePerTonne, currency: currencyCode(offer?.currency ?? null) }
}

/**
 * Offers with their prices in the currency of the comparison, all of them converted with its exchange rates, so that each step is a change
 * by the seller. Prices without a rate, and offers without a price, are left out.
 */
export function comparePrices(
  prices: readonly OfferPrice[],
  { currency: { comparison, rates }, offers }: Pick<RfqView, 'currency' | 'offers'>,
) {
  const rateOf = (code: string | null) =>
    code !== null && code === comparison ? 1 : (rates.find(({ currency }) => currency === code)?.rate ?? null)
  return offers.flatMap((offer) => {
    const points = prices.flatMap(({ offerId, at, pricePerTonne, currency }) => {
      const rate = offerId === offer.id ? rateOf(currency) : null
      return rate === null ? [] : [{ at, pricePerTonne: pricePerTonne * rate }]
    })
    return points.length === 0 ? [] : [{ offer, points }]
  })
}
