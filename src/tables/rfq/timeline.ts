import { currencyCode } from '../../compare/rfq/rfq-terms.js'
import { parseStored } from '../../core/documents/observation.js'
import { priceOffer } from '../../core/documents/offer-price.js'
import type { Revision, Version } from '../../core/records.js'
import { formatCount } from '../../core/text/number-format.js'
import type { History, Overview } from '../../store/contract.js'
import type { RfqView } from './rfq-view.js'

/** A moment at which something about an RFQ or its offers was seen to have changed. */
export interface Moment {
  at: string
  /** `RFQ changed, 2 new offers`. */
  message: string
  /** Why another award was recommended from then on; null if the same was. */
  recommendation: string | null
}

/** Moments that a page offers; older ones can be typed into the address. */
const MAX_REVISIONS = 1_000

/** When an RFQ and its offers changed, newest first. */
export async function momentsOf(
  store: Pick<Overview, 'revisions'>,
  { channel, rfqId }: { channel: string; rfqId: string },
): Promise<Moment[]> {
  const revisions = await store.revisions({ channel, rfqId, limit: MAX_REVISIONS })
  const groups = new Map<string, Revision[]>()
  for (const revision of revisions) {
    const group = groups.get(revision.observedAt)
    if (group === undefined) groups.set(revision.observedAt, [revision])
    else group.push(revision)
  }
  return [...groups].map(([at, group]) => ({
    at,
    message: textOf(group),
    recommendation: group.find(({ reason }) => reason !== null)?.reason ?? null,
  }))
}

function textOf(revisions: readonly Revision[]): string {
  const count = (matches: (revision: Revision) => boolean) => revisions.filter(matches).length
  const offers = (message: string, number: number) =>
    number === 0 ? [] : [formatCount(number, `${message} offer`, `${message} offers`)]
  const rfq = revisions.find(({ kind, event }) => kind === 'rfq' && event !== 'recommendation' && event !== 'award')
  const parts = [
    ...offers(
      'new',
      count(({ kind, event, previous }) => kind === 'response' && event === 'version' && !previous),
    ),
    ...offers(
      'changed',
      count(({ kind, event, previous }) => kind === 'response' && event === 'version' && !!previous),
    ),
    ...offers(
      'withdrawn',
      count(({ kind, event }) => kind === 'response' && event === 'missing'),
    ),
    ...offers(
      'returned',
      count(({ kind, event }) => kind === 'response' && event === 'returned'),
    ),
  ]
  // An RFQ gets a version with each change of its offers too.
  if (rfq !== undefined && (parts.length === 0 || rfq.event !== 'version' || rfq.previous === null))
    parts.unshift(rfq.event === 'version' ? (rfq.previous ? 'RFQ changed' : 'RFQ first seen') : `RFQ ${rfq.event}`)
  if (revisions.some(({ reason }) => reason !== null)) parts.push('other recommendation')
  for (const { award } of revisions)
    if (award !== null) parts.push(award.withdrawn ? 'award withdrawn' : 'award recorded')
  return parts.join(', ')
}

/** The prices of one offer over time, each in the currency that the offer then had. */
export interface PriceHistory {
  offerId: string
  points: { at: string; pricePerTonne: number; currency: string | null }[]
}

/** How the prices of some offers changed, oldest first; offers without a price are left out. */
export async function priceHistoryOf(
  store: Pick<History, 'rfqHistory'>,
  { channel, rfqId, offerIds, asOf }: { channel: string; rfqId: string; offerIds: readonly string[]; asOf: Date },
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
