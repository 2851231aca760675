import type { RfqRow } from '../../src/compare/channel/summarise-channel.js'
import { formatAmount } from '../../src/core/text/number-format.js'
import { columnsOf } from '../layout/columns.js'
import { tableSheet } from '../layout/table-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import { number as numberCell, text as textCell } from '../xlsx/cells.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import type { ChannelLayout } from './layout.js'

/** `RFQs` of a channel. */
export function channelRfqsSheet(layout: ChannelLayout): WriteSheet {
  return tableSheet(layout, {
    name: 'RFQs',
    title: 'RFQs',
    note: 'One row per RFQ, open RFQs first, by due date. Prices are those of ranked offers, in the currency of the column “Currency of prices”.',
    rows: layout.report.rfqs,
    frozenColumns: 2,
    columns: rfqColumns(layout),
  })
}

/** The columns of `RFQs`; `Summary` shows some of them for open RFQs. */
export function rfqColumns({ tonnes, rowOf }: ChannelLayout) {
  const { text, codes, number, date, moment, yesNo, cells, figure } = columnsOf<RfqRow>()
  const price = (rfq: RfqRow) => style.priceIn(rfq.currency)
  const offersCell = ({ offers, unreadOffers }: RfqRow) =>
    unreadOffers === 0
      ? numberCell(offers, style.integer)
      : textCell(`${formatAmount(unreadOffers)}, not read yet`, style.asRight(style.wrapped))
  return {
    no: number('No.', (rfq) => rowOf.get(rfq.id)),
    number: number('RFQ', (rfq) => rfq.number),
    reference: text('Reference', (rfq) => rfq.reference),
    title: text('Title', (rfq) => rfq.title, { maxWidth: 44 }),
    award: text('Award', (rfq) => rfq.awardText, { maxWidth: 48 }),
    state: codes('State', (rfq) => rfq.state ?? 'unknown'),
    due: date('Response due date', (rfq) => rfq.responseDueDate),
    daysToDue: figure('Days to due date', (rfq) => rfq.daysToDue, daysStyle),
    offers: cells('Offers', offersCell, style.integer),
    ranked: number('Ranked', (rfq) => rfq.ranked, style.integer),
    late: number('Submitted late', (rfq) => rfq.late, style.integer),
    wanted: figure('Wanted (t)', (rfq) => rfq.wanted, tonnes),
    volume: number('Offered, ranked (t)', (rfq) => rfq.volume, tonnes),
    coverage: figure('Coverage', (rfq) => rfq.coverage, style.percent),
    currency: text('Currency of prices', (rfq) => rfq.currency),
    best: figure('Best price per tonne', (rfq) => rfq.bestPricePerTonne, price),
    median: number('Median price per tonne', (rfq) => rfq.medianPricePerTonne, price),
    limit: number('Maximum price per tonne', (rfq) => rfq.maxUnitPrice, price),
    loud: number(
      'Loud flags',
      (rfq) => rfq.flags.loud,
      (rfq) => style.badIf(rfq.flags.loud > 0, style.integer),
    ),
    quiet: number('Quiet flags', (rfq) => rfq.flags.quiet, style.integer),
    fulfilment: date('Fulfilment due date', (rfq) => rfq.fulfilmentDueDate),
    minVolume: number('Minimum volume (t)', (rfq) => rfq.minVolume, tonnes),
    maxVolume: number('Maximum volume (t)', (rfq) => rfq.maxVolume, tonnes),
    closed: moment('Closed', (rfq) => rfq.closedAt),
    missing: moment('Missing since', (rfq) => rfq.missingSince),
    valid: yesNo('Matches API documentation', (rfq) => rfq.valid),
    version: number('Version', (rfq) => rfq.version),
    observed: moment('Observed', (rfq) => rfq.observedAt),
    id: text('RFQ id', (rfq) => rfq.id, { maxWidth: 40, style: style.body }),
  }
}

/** Open RFQs past due or due within a week stand out. */
function daysStyle({ state, daysToDue: days }: RfqRow): style.Style {
  if (state !== 'open' || days === null || days > 7) return style.plainNumber
  return days < 0 ? style.asBad(style.plainNumber) : style.asWarning(style.plainNumber)
}
