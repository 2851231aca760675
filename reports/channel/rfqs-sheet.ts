import type { RfqRow } from '../../src/domain/comparison/channel/channel-report-model.js'
import { daysFromAsOf } from '../layout/as-of.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { type ColumnPlan, tableSheet } from '../layout/table-sheet.js'
import { yesNo } from '../layout/wording.js'
import {
  body,
  calendarDate,
  centred,
  currencyCode,
  highlights,
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
  'One row an RFQ: open ones first, by days to due. Prices in the currency named beside them; ranked offers only.'

/** `RFQs` of a channel. */
export function channelRfqsSheet(layout: ChannelLayout): SheetPlan {
  const { rfqs } = layout
  const at = (key: RfqRowKey) => `$${rfqs.letter(key)}${rfqs.firstRow}`
  const column = (key: RfqRowKey) => `${rfqs.letter(key)}${rfqs.firstRow}:${rfqs.letter(key)}${rfqs.lastRow}`
  return tableSheet<RfqRow, RfqRowKey>({
    grid: rfqs,
    heading: channelHeading(layout, 'RFQs', NOTE),
    columns: columns(layout),
    rows: layout.report.rfqs,
    emptyText: 'No RFQ is known.',
    frozenColumns: 2,
    pagesWide: 3,
    rules: [
      {
        ref: column('daysToDue'),
        rules: [
          {
            type: 'expression',
            priority: 1,
            formulae: [`AND(${at('state')}="open",ISNUMBER(${at('daysToDue')}),${at('daysToDue')}<0)`],
            style: highlights.bad,
          },
          {
            type: 'expression',
            priority: 2,
            formulae: [`AND(${at('state')}="open",ISNUMBER(${at('daysToDue')}),${at('daysToDue')}<=7)`],
            style: highlights.warn,
          },
        ],
      },
      {
        ref: column('high'),
        rules: [{ type: 'expression', priority: 3, formulae: [`${at('high')}>0`], style: highlights.bad }],
      },
      {
        ref: column('best'),
        rules: [{ type: 'expression', priority: 4, formulae: [`ISNA(${at('best')})`], style: highlights.muted }],
      },
      {
        ref: column('coverage'),
        rules: [{ type: 'expression', priority: 5, formulae: [`ISNA(${at('coverage')})`], style: highlights.muted }],
      },
    ],
  })
}

type Column = ColumnPlan<RfqRow>
const told = (head: string, value: (rfq: RfqRow) => unknown, most = 32): Column => ({
  header: head,
  maxWidth: most,
  cell: (rfq) => text(value(rfq), wrapped),
})
const counted = (head: string, value: (rfq: RfqRow) => number | null, style: Style): Column => ({
  header: head,
  alignRight: true,
  cell: (rfq) => number(value(rfq), style),
})
const live = (head: string, cell: (rfq: RfqRow, index: number) => Cell): Column => ({
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
    no: live('No.', (_rfq, index) => number(index + 1, plainNumber)),
    number: counted('RFQ', (rfq) => rfq.number, plainNumber),
    reference: told('Reference', (rfq) => rfq.reference),
    title: told('Title', (rfq) => rfq.title, 44),
    state: told('State', (rfq) => rfq.state ?? 'unknown'),
    due: { header: 'Responses due', cell: (rfq) => date(rfq.responseDueDate, calendarDate) },
    daysToDue: live('Days to due', (rfq, index) => daysFromAsOf(at('due', index), rfq.responseDueDate, rfq.daysToDue)),
    ...sums(layout),
    late: counted('Late', (rfq) => rfq.late, integer),
    meets: counted('Meet every requirement', (rfq) => rfq.meetRequirements, integer),
    wanted: counted('Wanted (t)', (rfq) => rfq.wanted, numbers.volume),
    currency: told('Prices in', (rfq) => rfq.currency),
    median: price((rfq) => rfq.medianPricePerTonne, 'Median price per tonne'),
    limit: price((rfq) => rfq.maxUnitPrice, 'Maximum price per tonne'),
    bestOffer: told('Best offer by score', (rfq) => rfq.bestOffer),
    high: counted('Flags, high', (rfq) => rfq.flags.high, integer),
    medium: counted('Flags, medium', (rfq) => rfq.flags.medium, integer),
    low: counted('Flags, low', (rfq) => rfq.flags.low, integer),
    flags: told('Flags of the RFQ itself', (rfq) => rfq.flagWords.join('\n'), 60),
    fulfilment: { header: 'Fulfilment due', cell: (rfq) => date(rfq.fulfilmentDueDate, calendarDate) },
    minVolume: counted('Minimum volume (t)', (rfq) => rfq.minVolume, numbers.volume),
    maxVolume: counted('Maximum volume (t)', (rfq) => rfq.maxVolume, numbers.volume),
    closed: { header: 'Closed', cell: (rfq) => moment(rfq.closedAt, timestamp) },
    missing: { header: 'Missing since', cell: (rfq) => moment(rfq.missingSince, timestamp) },
    valid: { header: 'Fits the API', cell: (rfq) => text(yesNo(rfq.valid), centred) },
    version: counted('Version', (rfq) => rfq.version, plainNumber),
    observed: { header: 'Observed', cell: (rfq) => moment(rfq.observedAt, timestamp) },
    id: { header: 'RFQ id', maxWidth: 40, cell: (rfq) => text(rfq.id, body) },
  }
}

/** What the offers of an RFQ add up to, over `Offers`. */
function sums({
  rfqs,
  offers,
  numbers,
}: ChannelLayout): Pick<Record<RfqRowKey, Column>, 'offers' | 'ranked' | 'volume' | 'coverage' | 'best'> {
  const at = (key: RfqRowKey, index: number) => rfqs.at(key, index)
  const range = (key: OfferRowKey) => offers.range(key)
  const mine = (index: number) => `${range('rfq')},${at('no', index)}`
  const ranked = (index: number) => `${mine(index)},${range('ranked')},"yes"`
  return {
    offers: live('Offers', (rfq, index) => formula(`COUNTIFS(${mine(index)})`, rfq.offers, integer)),
    ranked: live('Ranked', (rfq, index) => formula(`COUNTIFS(${ranked(index)})`, rfq.ranked, integer)),
    volume: live('Offered, ranked (t)', (rfq, index) =>
      formula(`SUMIFS(${range('volume')},${ranked(index)})`, rfq.volume, numbers.volume),
    ),
    coverage: live('Coverage', (rfq, index) =>
      formula(
        `IF(N(${at('wanted', index)})>0,MIN(1,${at('volume', index)}/${at('wanted', index)}),NA())`,
        rfq.coverage,
        percent,
      ),
    ),
    best: live('Best price per tonne', (rfq, index) =>
      formula(
        `IF(${at('ranked', index)}=0,NA(),_xlfn.MINIFS(${range('price')},${ranked(index)}))`,
        rfq.bestPricePerTonne,
        numbers.price(currencyCode(rfq.currency)),
      ),
    ),
  }
}
