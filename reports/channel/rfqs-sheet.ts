import type { RfqRow } from '../../src/compare/channel/channel-report-model.js'
import { formatAmount } from '../../src/core/text/number-format.js'
import { NO_FIGURE } from '../layout/cell-text.js'
import { columnsOf } from '../layout/columns.js'
import { all, here, is, mark } from '../layout/marks.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { tableSheet } from '../layout/table-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import { number as numberCell, text as textCell } from '../xlsx/cells.js'
import type { ChannelLayout } from './layout.js'

/** `RFQs` of a channel. */
export function channelRfqsSheet(layout: ChannelLayout): SheetPlan {
  return tableSheet(layout, {
    grid: 'RFQs',
    title: 'RFQs',
    note: 'One row per RFQ, open RFQs first, by due date. Prices are those of ranked offers, in the currency of the column “Currency of prices”.',
    rows: layout.report.rfqs,
    emptyText: 'No RFQs.',
    frozenColumns: 2,
    columns: rfqColumns(layout),
    marks: (rfqs) => {
      const open = is({ column: rfqs.letter('state') }, '=', 'open')
      return [
        mark(rfqs.area('daysToDue'), all(open, is(here, '<', 0)), 'bad'),
        mark(rfqs.area('daysToDue'), all(open, is(here, '<=', 7)), 'warn'),
        mark(rfqs.area('loud'), is(here, '>', 0), 'bad'),
        mark(rfqs.area('best'), is(here, '=', NO_FIGURE), 'muted'),
        mark(rfqs.area('coverage'), is(here, '=', NO_FIGURE), 'muted'),
      ]
    },
  })
}

/** The columns of `RFQs`; `Summary` shows some of them for open RFQs. */
export function rfqColumns({ numbers, rowOf }: ChannelLayout) {
  const { text, codes, number, date, moment, yesNo, cells, figure } = columnsOf<RfqRow>()
  const price = (rfq: RfqRow) => numbers.price(style.currencyCode(rfq.currency))
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
    daysToDue: figure('Days to due date', (rfq) => rfq.daysToDue, style.plainNumber),
    offers: cells('Offers', offersCell, { style: style.integer }),
    ranked: number('Ranked', (rfq) => rfq.ranked, style.integer),
    meets: number('Meet all requirements', (rfq) => rfq.meetRequirements, style.integer),
    late: number('Submitted late', (rfq) => rfq.late, style.integer),
    wanted: figure('Wanted (t)', (rfq) => rfq.wanted, numbers.volume),
    volume: number('Offered, ranked (t)', (rfq) => rfq.volume, numbers.volume),
    coverage: figure('Coverage', (rfq) => rfq.coverage, style.percent),
    currency: text('Currency of prices', (rfq) => rfq.currency),
    best: figure('Best price per tonne', (rfq) => rfq.bestPricePerTonne, price),
    median: number('Median price per tonne', (rfq) => rfq.medianPricePerTonne, price),
    limit: number('Maximum price per tonne', (rfq) => rfq.maxUnitPrice, price),
    loud: number('Loud flags', (rfq) => rfq.flags.loud, style.integer),
    quiet: number('Quiet flags', (rfq) => rfq.flags.quiet, style.integer),
    fulfilment: date('Fulfilment due date', (rfq) => rfq.fulfilmentDueDate),
    minVolume: number('Minimum volume (t)', (rfq) => rfq.minVolume, numbers.volume),
    maxVolume: number('Maximum volume (t)', (rfq) => rfq.maxVolume, numbers.volume),
    closed: moment('Closed', (rfq) => rfq.closedAt),
    missing: moment('Missing since', (rfq) => rfq.missingSince),
    valid: yesNo('Matches API documentation', (rfq) => rfq.valid),
    version: number('Version', (rfq) => rfq.version),
    observed: moment('Observed', (rfq) => rfq.observedAt),
    id: text('RFQ id', (rfq) => rfq.id, { maxWidth: 40, style: style.body }),
  }
}
