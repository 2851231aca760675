import type { Circumstances } from './circumstances.js'
import { sourceOf } from './circumstances.js'
import { daysBetween } from './days.js'
import type { KnownRfq } from './input.js'
import type { RfqTerms, Wanted } from './model.js'
import { plausible, positive, said } from './numbers.js'
import { CURRENCY_CODE, type WantedBasis } from './settings.js'
import { tonnes } from './words.js'

/** What an RFQ asks, before its limits are turned into the comparison currency and before flags. */
export type AskedTerms = Omit<RfqTerms, 'comparedMinUnitPrice' | 'comparedMaxUnitPrice' | 'flags'>

/** Reads what an RFQ asks; all null where its document is unusable. */
export function askedTerms(known: KnownRfq, { asOfDate, settings }: Circumstances): AskedTerms {
  const rfq = known.document
  const minVolume = plausible(rfq?.minVolume)
  const maxVolume = plausible(rfq?.maxVolume)
  return {
    source: sourceOf('rfq', known),
    id: known.id,
    number: plausible(rfq?.number),
    reference: said(rfq?.reference),
    title: said(rfq?.title),
    state: said(rfq?.state),
    buyerDescription: said(rfq?.buyerDescription),
    additionalRequirements: said(rfq?.additionalRequirements),
    reasonForPurchase: said(rfq?.reasonForPurchase),
    contractTypes: [...(rfq?.contractTypes ?? [])],
    listingIds: [...(rfq?.listingIds ?? [])],
    createdAt: rfq?.createdAt ?? null,
    updatedAt: rfq?.updatedAt ?? null,
    openedAt: rfq?.openedAt ?? null,
    closedAt: rfq?.closedAt ?? null,
    responseDueDate: rfq?.responseDueDate ?? null,
    daysToDue: daysBetween(asOfDate, rfq?.responseDueDate ?? null),
    fulfilmentDueDate: rfq?.fulfilmentDueDate ?? null,
    daysToFulfilment: daysBetween(asOfDate, rfq?.fulfilmentDueDate ?? null),
    minVolume,
    maxVolume,
    minVintageYear: vintageLimit(rfq?.minVintageYear),
    maxVintageYear: vintageLimit(rfq?.maxVintageYear),
    minUnitPrice: plausible(rfq?.pricing?.minUnitPrice),
    maxUnitPrice: plausible(rfq?.pricing?.maxUnitPrice),
    currency: said(rfq?.pricing?.currency),
    wanted: wantedOf(minVolume, maxVolume, settings.wantedVolume),
    missingSince: known.missingSince,
  }
}

const vintageLimit = (limit: number | string | null | undefined) =>
  typeof limit === 'number' ? plausible(limit) : null

/** A currency as a code of three capitals, however it was typed; null if it is none. */
export function currencyCode(currency: string | null): string | null {
  const code = currency?.trim().toUpperCase() ?? ''
  return CURRENCY_CODE.test(code) ? code : null
}

/** The volume coverage and awards aim at: model.ts, `Wanted`. */
export function wantedOf(minVolume: number | null, maxVolume: number | null, basis: WantedBasis): Wanted {
  const least = positive(minVolume) ?? positive(maxVolume)
  const most = positive(maxVolume) ?? least
  const volumes = { min: least, mid: least === null || most === null ? null : (least + most) / 2, max: most }
  const volume = volumes[basis]
  return { basis, volume, ...volumes, words: wantedWords(minVolume, maxVolume, basis, volume) }
}

const BASIS_WORDS: Record<WantedBasis, string> = {
  min: 'the minimum volume of the RFQ',
  mid: 'half-way between the minimum and the maximum volume of the RFQ',
  max: 'the maximum volume of the RFQ',
}
function wantedWords(min: number | null, max: number | null, basis: WantedBasis, volume: number | null): string {
  if (volume === null) return 'The RFQ names no volume above 0: coverage and awards have nothing to aim at.'
  const both = positive(min) !== null && positive(max) !== null
  const which = both
    ? BASIS_WORDS[basis]
    : `the only volume the RFQ names (its ${positive(min) ? 'minimum' : 'maximum'})`
  return `${tonnes(volume)}: ${which}.`
}
