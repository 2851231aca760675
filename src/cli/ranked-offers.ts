import { notMetBy, notMetText } from '../compare/decision/not-met.js'
import { type NewerSummary, newerStatus } from '../compare/offer/newer-summary.js'
import type { OfferReport } from '../compare/offer/offer-report-model.js'
import type { RfqReport } from '../compare/report/rfq-report-model.js'
import { createCalendar } from '../core/expiry.js'
import type { KnownDocument, RfqWithResponses } from '../core/records.js'
import type { Store } from '../store/contract.js'
import type { App } from './app.js'
import type { Cli } from './cli-context.js'
import { type OfferRow, offerRow, rfqRow, withBody } from './json-rows.js'
import { databaseNow } from './read-filter.js'
import { createReportOrder } from './report-request.js'
import { timeZoneOf } from './select-channels.js'

/** An offer with its place in the report, which is made with the settings of the configuration. */
export interface RankedOffer extends OfferRow {
  body: unknown
  /** The number that identifies it in the recommendation. */
  number: number | null
  /** Null if it is not ranked. */
  rank: number | null
  /** Of 100. */
  score: number | null
  /** Its name in the report. */
  label: string | null
  /** The price per tonne in the currency in which offers are compared. */
  comparedPricePerTonne: number | null
  comparisonCurrency: string | null
  /** The share of the wanted volume it covers. */
  coverage: number | null
  /** Tonnes in the accepted award, or else in the recommended one. */
  awarded: number | null
  /** Why it is not ranked, and the hard requirements it does not meet; null if neither. */
  failure: string | null
  /** As `failure`, then the advisory requirements it does not meet, marked as such. */
  notMet: string | null
  /** What to look at, most severe first. */
  flags: { severity: string; words: string }[]
  /** A newer list of the RFQs no longer has it. */
  notListed: boolean
  /** What the RFQ says otherwise, which was read after the offer: `status` is that of the RFQ, `body` the offer as it was read. */
  newerSummary: NewerSummary | null
}

/** The report on an RFQ as of a moment, default now. */
export async function rfqReportOf(
  { io }: Pick<Cli, 'io'>,
  { store, app }: { store: Store; app: App },
  { channel, id }: KnownDocument,
  asOf: Date | undefined,
): Promise<RfqReport> {
  const now = await databaseNow(store, io.now())
  const order = createReportOrder(app.config, { channel, asOf: asOf ?? now, now })
  const { buildRfqReport } = await import('../reporting/rfq-report.js')
  return buildRfqReport({ ...order, store, rfqId: id })
}

/** The offers for an RFQ by rank, then those that are not ranked; those in another currency without a rate last. */
export function rankedOffers({ config }: App, found: RfqWithResponses, report: RfqReport): RankedOffer[] {
  const rfq = rfqRow(found)
  const calendar = createCalendar(timeZoneOf(config, rfq.channel))
  const places = new Map(report.offers.map((offer, at) => [offer.id, { ...placeOf(offer, report), at }]))
  const rowOf = (response: KnownDocument) => withBody(offerRow(rfq, response, calendar), response)
  return found.responses
    .map((response) => {
      const row = rowOf(response)
      const { newerStatus: status, ...place } = { ...NOT_REPORTED, ...places.get(response.id) }
      return { ...place, ...row, status: status ?? row.status }
    })
    .sort((a, b) => Number(isForeign(a)) - Number(isForeign(b)) || a.at - b.at)
    .map(({ at: _at, ...row }) => row)
}

/** For offers that arrived after the report was computed. */
const NOT_REPORTED = {
  number: null,
  rank: null,
  score: null,
  label: null,
  comparedPricePerTonne: null,
  comparisonCurrency: null,
  coverage: null,
  awarded: null,
  failure: null,
  notMet: null,
  flags: [],
  notListed: false,
  newerStatus: null,
  newerSummary: null,
  at: Number.POSITIVE_INFINITY,
}

function placeOf(offer: OfferReport, report: RfqReport) {
  const { decision, currency } = report
  const decided = decision.offers.find(({ offerId }) => offerId === offer.id)
  const notMet = notMetBy(offer, report)
  return {
    number: offer.sequence,
    rank: offer.rank,
    score: offer.rank === null ? null : (offer.scores?.total ?? null),
    label: offer.label,
    comparedPricePerTonne: offer.compared.pricePerTonne,
    comparisonCurrency: currency.comparison,
    coverage: offer.metrics.coverage,
    awarded: decided === undefined || decided.awardedTonnes === 0 ? null : decided.awardedTonnes,
    failure: notMetText(notMet.filter(({ kind }) => kind !== 'advisory')),
    notMet: notMetText(notMet),
    flags: offer.flags.map(({ severity, words }) => ({ severity, words })),
    newerStatus: newerStatus(offer.newerSummary),
    newerSummary: offer.newerSummary,
    notListed: offer.flags.some(({ code }) => code === 'not-listed'),
  }
}

/** Whether the price of an offer cannot be compared, because no exchange rate is known. */
const isForeign = ({ currency, comparisonCurrency, pricePerTonne, comparedPricePerTonne }: RankedOffer): boolean =>
  comparisonCurrency !== null &&
  currency !== null &&
  currency !== comparisonCurrency &&
  pricePerTonne !== null &&
  comparedPricePerTonne === null

/** The heading above offers whose prices cannot be compared with the others; null for the others. */
export const currencyHeading = (offer: RankedOffer): string | null =>
  isForeign(offer)
    ? `In ${offer.currency}: not ranked, because no exchange rate into ${offer.comparisonCurrency} is configured`
    : null
