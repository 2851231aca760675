import type { RfqRow } from '../../src/domain/comparison/channel/channel-report-model.js'
import { daysFromAsOf } from '../layout/as-of.js'
import { all, here, is, isUnavailable, mark } from '../layout/marks.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { type ColumnPlan, tableSheet } from '../layout/table-sheet.js'
import { yesNo } from '../layout/wording.js'
import {
  body,
  calendarDate,
  centred,
  currencyCode,
  integer,
  percent,
  plainNumber,
  type Style,
  timestamp,
  wrapped,
} from '../xlsx/cell-styles.js'
import { type Cell, date, formula, moment, number, text } from '../xlsx/cells.js'
import { type ChannelLayout, channelHeading, type OfferRowKey, type RfqRowKey } from './layout.js'

const NOTE =
  'One row per RFQ, open RFQs first, by due date. Prices are those of ranked offers, in the currency of the column “Currency of prices”.'

/** `RFQs` of a channel. */
export function channelRfqsSheet(layout: ChannelLayout): SheetPlan {
  const { rfqs } = layout
  const open = is({ column: rfqs.letter('state') }, '=', 'open')
  return tableSheet<RfqRow, RfqRowKey>({
    grid: rfqs,
    heading: channelHeading(layout, 'RFQs', NOTE),
    columns: columns(layout),
    rows: layout.report.rfqs,
    emptyText: 'No RFQs.',
    frozenColumns: 2,
    pagesWide: 3,
    marks: [
      mark(rfqs.area('daysToDue'), all(open, is(here, '<', 0)), 'bad'),
      mark(rfqs.area('daysToDue'), all(open, is(here, '<=', 7)), 'warn'),
      mark(rfqs.area('high'), is(here, '>', 0), 'bad'),
      mark(rfqs.area('best'), isUnavailable(here), 'muted'),
      mark(rfqs.area('coverage'), isUnavailable(here), 'muted'),
    ],
  })
}

type Column = ColumnPlan<RfqRow>
const textColumn = (head: string, value: (rfq: RfqRow) => unknown, maxWidth = 32): Column => ({
  header: head,
  maxWidth,
  cell: (rfq) => text(value(rfq), wrapped),
})
const numberColumn = (head: string, value: (rfq: RfqRow) => number | null, style: Style): Column => ({
  header: head,
  alignRight: true,
  cell: (rfq) => number(value(rfq), style),
})
const formulaColumn = (head: string, cell: (rfq: RfqRow, index: number) => Cell): Column => ({
  header: head,
  alignRight: true,
  cell,
})

function columns(layout: ChannelLayout): Record<RfqRowKey, Column> {
  const { rfqs, numbers } = layout
  const at = (key: RfqRowKey, index: number) => rfqs.at(key, index)
  const price = (value: (rfq: RfqRow) => number | null, head: string): Column => ({
    header: head,
    alignRight: true,
    cell: (rfq) => number(value(rfq), numbers.price(currencyCode(rfq.currency))),
  })
  return {
    no: formulaColumn('No.', (_rfq, index) => number(index + 1, plainNumber)),
    number: numberColumn('RFQ', (rfq) => rfq.number, plainNumber),
    reference: textColumn('Reference', (rfq) => rfq.reference),
    title: textColumn('Title', (rfq) => rfq.title, 44),
    state: textColumn('State', (rfq) => rfq.state ?? 'unknown'),
    due: { header: 'Response due date', cell: (rfq) => date(rfq.responseDueDate, calendarDate) },
    daysToDue: formulaColumn('Days to due date', (rfq, index) =>
      daysFromAsOf(at('due', index), rfq.responseDueDate, rfq.daysToDue),
    ),
    ...offerTotalColumns(layout),
    late: numberColumn('Submitted late', (rfq) => rfq.late, integer),
    meets: numberColumn('Meet all requirements', (rfq) => rfq.meetRequirements, integer),
    wanted: numberColumn('Wanted (t)', (rfq) => rfq.wanted, numbers.volume),
    currency: textColumn('Currency of prices', (rfq) => rfq.currency),
    median: price((rfq) => rfq.medianPricePerTonne, 'Median price per tonne'),
    limit: price((rfq) => rfq.maxUnitPrice, 'Maximum price per tonne'),
    bestOffer: textColumn('Best offer by score', (rfq) => rfq.bestOffer),
    high: numberColumn('High flags', (rfq) => rfq.flags.high, integer),
    medium: numberColumn('Medium flags', (rfq) => rfq.flags.medium, integer),
    low: numberColumn('Low flags', (rfq) => rfq.flags.low, integer),
    flags: textColumn('RFQ flags', (rfq) => rfq.flagWords.join('\n'), 60),
    fulfilment: { header: 'Fulfilment due date', cell: (rfq) => date(rfq.fulfilmentDueDate, calendarDate) },
    minVolume: numberColumn('Minimum volume (t)', (rfq) => rfq.minVolume, numbers.volume),
    maxVolume: numberColumn('Maximum volume (t)', (rfq) => rfq.maxVolume, numbers.volume),
    closed: { header: 'Closed', cell: (rfq) => moment(rfq.closedAt, timestamp) },
    missing: { header: 'Missing since', cell: (rfq) => moment(rfq.missingSince, timestamp) },
    valid: { header: 'Matches API documentation', cell: (rfq) => text(yesNo(rfq.valid), centred) },
    version: numberColumn('Version', (rfq) => rfq.version, plainNumber),
    observed: { header: 'Observed', cell: (rfq) => moment(rfq.observedAt, timestamp) },
    id: { header: 'RFQ id', maxWidth: 40, cell: (rfq) => text(rfq.id, body) },
  }
}

/** Totals of an RFQ's offers, as formulas over `Offers`. */
function offerTotalColumns({
  rfqs,
  offers,
  numbers,
}: ChannelLayout): Pick<Record<RfqRowKey, Column>, 'offers' | 'ranked' | 'volume' | 'coverage' | 'best'> {
  const at = (key: RfqRowKey, index: number) => rfqs.at(key, index)
  const range = (key: OfferRowKey) => offers.range(key)
  const ofThisRfq = (index: number) => `${range('rfq')},${at('no', index)}`
  const ranked = (index: number) => `${ofThisRfq(index)},${range('ranked')},"yes"`
  return {
    offers: formulaColumn('Offers', (rfq, index) => formula(`COUNTIFS(${ofThisRfq(index)})`, rfq.offers, integer)),
    ranked: formulaColumn('Ranked', (rfq, index) => formula(`COUNTIFS(${ranked(index)})`, rfq.ranked, integer)),
    volume: formulaColumn('Offered, ranked (t)', (rfq, index) =>
      formula(`SUMIFS(${range('volume')},${ranked(index)})`, rfq.volume, numbers.volume),
    ),
    coverage: formulaColumn('Coverage', (rfq, index) =>
      formula(
        `IF(N(${at('wanted', index)})>0,MIN(1,${at('volume', index)}/${at('wanted', index)}),NA())`,
        rfq.coverage,
        percent,
      ),
    ),
    best: formulaColumn('Best price per tonne', (rfq, index) =>
      formula(
        `IF(${at('ranked', index)}=0,NA(),_xlfn.MINIFS(${range('price')},${ranked(index)}))`,
        rfq.bestPricePerTonne,
        numbers.price(currencyCode(rfq.currency)),
      ),
    ),
  }
}
