import { currencyCode } from '../../compare/rfq/rfq-terms.js'
import { asResponse } from '../../core/changes/compare-documents.js'
import { parseDocument } from '../../core/documents/observation.js'
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

function priceOf(version: Version): { pricePerTonne: number; currency: string | null } | null {
  const offer = parseDocument('response', asResponse(version)).document?.offer
  const vintages = offer?.scheduledDeliveries.flatMap((delivery) => delivery.vintages) ?? []
  const stated = { volume: offer?.totalVolume ?? null, total: offer?.totalPrice ?? null }
  const { pricePerTonne } = priceOffer(vintages, stated)
  return pricePerTonne === null ? null : { pricePerTonne, currency: currencyCode(offer?.currency ?? null) }
}

/**
 * Prices in the currency of the comparison, all of them converted with its exchange rates, so that each step is a change by the seller.
 * Those without a rate are left out.
 */
export function comparePrices(
  histories: readonly PriceHistory[],
  { currency: { comparison, rates }, offers }: Pick<RfqView, 'currency' | 'offers'>,
) {
  const rateOf = (code: string | null) =>
    code !== null && code === comparison ? 1 : (rates.find(({ currency }) => currency === code)?.rate ?? null)
  return histories.flatMap(({ offerId, points }) => {
    const offer = offers.find(({ id }) => id === offerId)
    const compared = points.flatMap(({ at, pricePerTonne, currency }) => {
      const rate = rateOf(currency)
      return rate === null ? [] : [{ at, pricePerTonne: pricePerTonne * rate }]
    })
    return offer === undefined || compared.length === 0 ? [] : [{ offer, points: compared }]
  })
}
