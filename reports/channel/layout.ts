import type { ChannelReport } from '../../src/compare/channel/channel-report-model.js'
import { sum } from '../../src/core/numbers.js'
import { keys, makeGrid } from '../layout/grid.js'
import type { ReportIdentity } from '../layout/sheet-plan.js'
import { HEADER_ROW } from '../layout/table-sheet.js'
import { asOfLabel } from '../layout/wording.js'
import { numberStyles } from '../xlsx/cell-styles.js'

/** Columns of `RFQs`; offers refer to an RFQ by its row number, never by text. */
const RFQ_ROW_KEYS = keys(
  'no number reference title award state due daysToDue offers ranked meets late wanted volume coverage currency best median',
  'limit bestOffer high medium low flags fulfilment minVolume maxVolume closed missing valid version observed id',
)
export type RfqRowKey = (typeof RFQ_ROW_KEYS)[number]

const OFFER_ROW_KEYS = keys(
  'rfq number label developer project status ranked rank score price total comparedIn volume ownPrice ownTotal currency',
  'meets why high medium low flags contract submitted late expiry daysToExpiry view version observed id',
)
export type OfferRowKey = (typeof OFFER_ROW_KEYS)[number]

/** The input of the sheets of a channel's workbook: the report, and the position of every table. */
export type ChannelLayout = ReturnType<typeof channelLayout>

export function channelLayout(report: ChannelReport) {
  const { rfqs, offers, listings } = report
  const volumes = [
    ...rfqs.flatMap(({ minVolume, maxVolume }) => [minVolume, maxVolume]),
    ...offers.map(({ volume }) => volume),
    ...listings.map(({ availableVolume }) => availableVolume),
  ]
  return {
    report,
    subject: subjectOf(report),
    numbers: numberStyles(volumes, []),
    /** Offers of RFQs that were not read yet. */
    unreadOffers: sum(rfqs.map(({ unreadOffers }) => unreadOffers)),
    rfqs: makeGrid('RFQs', RFQ_ROW_KEYS, HEADER_ROW, rfqs.length),
    offers: makeGrid('Offers', OFFER_ROW_KEYS, HEADER_ROW, offers.length),
    /** Row of an RFQ on `RFQs`, 1, 2, …, by identifier. */
    rowOf: new Map(rfqs.map(({ id }, index) => [id, index + 1])),
  }
}

const subjectOf = ({ context }: ChannelReport) => `${context.channel} · ${asOfLabel(context.asOf)}`

export const channelIdentity = (report: ChannelReport): ReportIdentity => ({
  title: `Channel ${report.context.channel}: overview`,
  subject: 'RFQs, offers, closings and listings of a channel',
  footer: subjectOf(report),
  asOf: new Date(report.context.asOf),
})
