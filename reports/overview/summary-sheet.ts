import { sum } from '../../src/core/numbers.js'
import { formatAmount, formatCount } from '../../src/core/text/number-format.js'
import { type Column, column, money } from '../../src/tables/column.js'
import { awards } from '../../src/tables/lists/awards.js'
import type { RfqRow } from '../../src/tables/lists/rfq-row.js'
import { rfqs } from '../../src/tables/lists/rfqs.js'
import type { Today } from '../../src/tables/today/today.js'
import { sheetColumns } from '../layout/list-sheet.js'
import { asOfLabel } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { text } from '../xlsx/cells.js'
import type { Sheet } from '../xlsx/sheet.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import { nameOf, type Overview } from './overview.js'

/** The tables have the same columns: RFQ, title, channel, date, state, award, tonnes, price, total, savings, next step. */
const WIDTHS = [13, 32, 18, 13, 18, 42, 12, 14, 16, 15, 24]
const CHANNEL_AT = 2
const [MAX_AWARDS, MAX_RFQS] = [10, 20]

/** `Summary`: what is at stake and saved, then awards on record, then what waits for a person, by urgency. */
export const overviewSummarySheet =
  (overview: Overview): WriteSheet =>
  (add) => {
    const { channel, today, rows, now } = overview
    const { open, waiting, due, overdue } = today.summary
    const sheet = add({ widths: WIDTHS.filter((_, at) => channel === null || at !== CHANNEL_AT) })
    sheet.add([text(nameOf(overview), style.title)])
    sheet.add([text(`Overview ${asOfLabel(now.toISOString())}`, style.subtitle)])
    const days = `${formatAmount(overdue)} overdue, ${formatAmount(due)} due within seven days`
    sheet.add([text(`${formatCount(open, 'open RFQ')}, ${days}; ${formatAmount(waiting)} to decide or to look at.`)])
    const addTable = <Row>(title: string, columns: readonly Column<Row>[], all: readonly Row[], max = all.length) => {
      const shown = all.slice(0, max)
      sheet.addSection(shown.length < all.length ? `${title}: the first ${max} of ${all.length}` : title)
      const own = columns.filter(({ key }) => channel === null || key !== 'channel')
      sheet.addTable(sheetColumns(own, shown), shown)
    }
    addTable('At stake, and saved against maximum prices', STAKE_COLUMNS, stakesOf(overview))
    const onRecord = rows.awards.filter((row) => (row as { state?: string }).state !== 'withdrawn')
    addTable('Awards on record', AWARD_COLUMNS, onRecord as never[], MAX_AWARDS)
    addTable('Deadlines and decisions', RFQ_COLUMNS, today.rfqs, MAX_RFQS)
    addMatters(sheet, [...today.closings, ...today.system])
  }

const gap = (key: string): Column<unknown> => column(key, '', 'text', 9, () => null)
const chosen = <Row>(columns: readonly Column<Row>[], keys: readonly string[]): Column<Row>[] =>
  keys.map((key) => columns.find((each) => each.key === key) ?? gap(key))

const FIGURES = ['tonnes', 'price', 'total']
const RFQ_COLUMNS = chosen(rfqs.columns, [
  ...['number', 'title', 'channel', 'due', 'basis', 'award', ...FIGURES, 'savings', 'step'],
])
const AWARD_COLUMNS = chosen(awards.columns, [
  ...['rfq', 'title', 'channel', 'acceptBy', 'state', 'offers', ...FIGURES, 'gap', 'next'],
])

type StakeRow = Today['summary']['atStake'][number] & { savings: number | null }

const STAKE_COLUMNS: readonly Column<StakeRow>[] = [
  column('kind', 'At stake', 'state', 9, ({ kind }) => kind),
  column('rfqs', '', 'text', 9, ({ rfqs }) => formatCount(rfqs, 'RFQ')),
  ...['channel', 'date', 'state', 'award'].map(gap),
  column('tonnes', 'Tonnes', 'tonnes', 9, ({ tonnes }) => tonnes),
  column('price', 'Mean price', 'price', 9, ({ tonnes, total, currency }) =>
    money(tonnes > 0 ? total / tonnes : null, currency),
  ),
  column('total', 'Total', 'money', 9, ({ total, currency }) => money(total, currency)),
  column('savings', 'Savings', 'money', 9, ({ savings, currency }) => money(savings, currency)),
]

/** What is at stake by kind and currency, with what it saves against the maximum prices of the same RFQs. */
function stakesOf({ today, rows }: Overview): StakeRow[] {
  const known = (rows.rfqs as readonly RfqRow[])
    .filter(
      ({ state, missingSince, urgency, standing }) =>
        (state === 'open' && missingSince === null) || urgency > 0 || standing?.status === 'waiting',
    )
    .flatMap(({ stakes, figures: { limit, currency } }) =>
      stakes.flatMap((stake) =>
        limit === null || stake.currency !== currency ? [] : { ...stake, savings: stake.tonnes * limit - stake.total },
      ),
    )
  return today.summary.atStake.map((stake) => {
    const saved = known.filter(({ kind, currency }) => kind === stake.kind && currency === stake.currency)
    return { ...stake, savings: saved.length === 0 ? null : sum(saved.map(({ savings }) => savings)) }
  })
}

/** What is not about the award of an RFQ: closings and the system. */
function addMatters(sheet: Sheet, matters: Today['system']): void {
  if (matters.length === 0) return
  sheet.addSection('Closings and system')
  for (const { channel, rfq, message } of matters)
    sheet.add(
      [text(rfq ?? '', style.body), text(channel, style.wrapped), text(message, style.wrapped)],
      [2, sheet.columns - 1],
    )
}
