import type { OfferRow } from '../../src/domain/comparison/channel/channel-report-model.js'
import { daysFromAsOf } from '../layout/as-of.js'
import { here, is, mark } from '../layout/marks.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { type ColumnPlan, tableSheet } from '../layout/table-sheet.js'
import { yesNo } from '../layout/wording.js'
import {
  calendarDate,
  centred,
  currencyCode,
  integer,
  oneDecimal,
  plainNumber,
  type Style,
  timestamp,
  wrapped,
} from '../xlsx/cell-styles.js'
import { date, moment, number, text } from '../xlsx/cells.js'
import { type ChannelLayout, channelHeading, type OfferRowKey } from './layout.js'

const NOTE =
  'One row per offer, in the order of RFQs, then by rank. “No.” is the row number of its RFQ on the sheet RFQs.'
type Column = ColumnPlan<OfferRow>

/** `Offers` of a channel. */
export function channelOffersSheet(layout: ChannelLayout): SheetPlan {
  const { offers } = layout
  return tableSheet<OfferRow, OfferRowKey>({
    grid: offers,
    heading: channelHeading(layout, 'Offers', NOTE),
    columns: columns(layout),
    rows: layout.report.offers,
    emptyText: 'No offers received.',
    frozenColumns: 3,
    pagesWide: 3,
    marks: [mark(offers.area('rank'), is(here, '=', 1), 'good'), mark(offers.area('high'), is(here, '>', 0), 'bad')],
  })
}

const textColumn = (head: string, value: (offer: OfferRow) => unknown, maxWidth = 32): Column => ({
  header: head,
  maxWidth,
  cell: (offer) => text(value(offer), wrapped),
})
const numberColumn = (head: string, value: (offer: OfferRow) => number | null, style: Style): Column => ({
  header: head,
  alignRight: true,
  cell: (offer) => number(value(offer), style),
})

function columns({ numbers, rowOf, offers }: ChannelLayout): Record<OfferRowKey, Column> {
  const money = (
    head: string,
    value: (offer: OfferRow) => number | null,
    currency: (offer: OfferRow) => string | null,
  ): Column => ({
    header: head,
    alignRight: true,
    cell: (offer) => number(value(offer), numbers.money(currencyCode(currency(offer)))),
  })
  const compared = (offer: OfferRow) => offer.comparisonCurrency
  const own = (offer: OfferRow) => offer.currency
  return {
    rfq: numberColumn('No.', (offer) => rowOf.get(offer.rfqId) ?? null, plainNumber),
    number: numberColumn('RFQ', (offer) => offer.rfqNumber, plainNumber),
    label: textColumn('Offer', (offer) => offer.label, 36),
    developer: textColumn('Developer', (offer) => offer.developer),
    project: textColumn('Project', (offer) => offer.project, 36),
    status: textColumn('Status', (offer) => offer.status ?? 'unknown'),
    ranked: { header: 'Ranked', cell: (offer) => text(yesNo(offer.rank !== null), centred) },
    rank: numberColumn('Rank', (offer) => offer.rank, plainNumber),
    score: numberColumn('Score (0–100)', (offer) => offer.score, oneDecimal),
    price: money('Price per tonne, comparison currency', (offer) => offer.compared.pricePerTonne, compared),
    total: money('Total, comparison currency', (offer) => offer.compared.total, compared),
    comparedIn: textColumn('Comparison currency', compared),
    volume: numberColumn('Volume (t)', (offer) => offer.volume, numbers.volume),
    ownPrice: money('Price per tonne, own currency', (offer) => offer.pricePerTonne, own),
    ownTotal: money('Total, own currency', (offer) => offer.total, own),
    currency: textColumn('Currency', own),
    meets: { header: 'Meets all requirements', cell: (offer) => text(yesNo(offer.meetsRequirements), centred) },
    why: textColumn('Reason not ranked', (offer) => offer.exclusions.join('\n'), 44),
    high: numberColumn('High flags', (offer) => offer.flags.high, integer),
    medium: numberColumn('Medium flags', (offer) => offer.flags.medium, integer),
    low: numberColumn('Low flags', (offer) => offer.flags.low, integer),
    flags: textColumn('Flags', (offer) => offer.flagWords.join('\n'), 70),
    contract: textColumn('Contract type', (offer) => offer.contractType),
    submitted: { header: 'Submitted', cell: (offer) => moment(offer.submittedAt, timestamp) },
    late: textColumn('Submitted late', (offer) => yesNo(offer.late)),
    expiry: { header: 'Expires', cell: (offer) => date(offer.expiryDate, calendarDate) },
    daysToExpiry: {
      header: 'Days to expiry',
      alignRight: true,
      cell: (offer, index) => daysFromAsOf(offers.at('expiry', index), offer.expiryDate, offer.daysToExpiry),
    },
    view: textColumn('Visible on marketplace', (offer) => yesNo(offer.inView)),
    version: numberColumn('Version', (offer) => offer.version, plainNumber),
    observed: { header: 'Observed', cell: (offer) => moment(offer.observedAt, timestamp) },
    id: textColumn('Offer id', (offer) => offer.id, 40),
  }
}
