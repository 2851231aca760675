import type { ChannelReport, RfqRow } from '../../src/compare/channel/channel-report-model.js'
import { oneLine } from '../../src/core/text/clean-text.js'
import { NO_FIGURE } from '../layout/cell-text.js'
import { type Column, columnsOf, referringColumn } from '../layout/columns.js'
import { here, is, mark } from '../layout/marks.js'
import { bodyRow, emptyCells, emptyRows, RowList, sectionRow, subjectRow, textRow, titleRow } from '../layout/rows.js'
import { chartColumns, type SheetChart } from '../layout/sheet-chart.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { rowSheet, tableRows } from '../layout/table-sheet.js'
import { asOfLabel, codeLabel } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, date, formula, moment, number, sheetLink, text } from '../xlsx/cells.js'
import type { ChannelLayout, RfqRowKey } from './layout.js'
import { rfqColumns } from './rfqs-sheet.js'

const WIDTHS = [7, 34, 17, 16, 19, 14, 16, 13, 12, 15, 19]
const LINKED = ['RFQs', 'Offers', 'Closings', 'Listings', 'About']
/** Maximum number of open RFQs, and of other RFQs with an accepted offer, listed. */
const MAX_ROWS = 15
const CHART_ROWS = 20
/** The title of an RFQ; its reference or ID if it has none. */
const TITLE_COLUMN = columnsOf<RfqRow>().text(
  'Title',
  ({ title, reference, id }) => oneLine(title ?? reference ?? id),
  {
    style: style.boldWrapped,
  },
)

/** The sheet `Summary` of a channel: awards, counts, the open RFQs due next, and a chart of the volumes wanted and offered. */
export function channelSummarySheet(layout: ChannelLayout): SheetPlan {
  const { report } = layout
  const open = report.rfqs.filter(({ state }) => state === 'open').slice(0, MAX_ROWS)
  const accepted = report.rfqs.filter((rfq) => rfq.accepted !== null && !open.includes(rfq))
  const awards = awardRows(layout, [...open, ...accepted.slice(0, MAX_ROWS)], awardsTitle(report, accepted.length))
  const list = new RowList().add(...topRows(report), ...awards, ...emptyRows(1))
  const firstFactRow = list.next + 1
  list.add(...factBlockRows([rfqFacts(layout), offerFacts(layout), otherFacts(report)]), ...emptyRows(1))
  list.add(sectionRow(openTitle(report, open.length)))
  const firstRow = list.next + 1
  const lastRow = firstRow + Math.max(0, open.length - 1)
  list.add(...tableRows(openColumns(layout), open))
  if (open.length === 0) list.add(textRow('No open RFQs.'))
  const charts = open.length === 0 ? [] : [volumeChart(open, firstRow - 1, list.next)]
  if (charts.length > 0) list.add({ cells: [], newPage: true })
  return rowSheet({
    name: 'Summary',
    widths: WIDTHS,
    rows: () => list.rows,
    charts,
    names: [{ name: 'AsOfDate', address: `$C$${firstFactRow + 1}` }],
    marks: [
      mark(`D${firstRow}:D${lastRow}`, is(here, '<', 0), 'bad'),
      mark(`D${firstRow}:D${lastRow}`, is(here, '<=', 7), 'warn'),
      mark(`K${firstRow}:K${lastRow}`, is(here, '>', 0), 'bad'),
    ],
  })
}

const topRows = ({ context }: ChannelReport): RowPlan[] => [
  titleRow(`Channel ${context.channel}`),
  subjectRow(`Overview ${asOfLabel(context.asOf)}`),
  bodyRow(...LINKED.map((sheet) => sheetLink(sheet, sheet, style.link))),
  ...emptyRows(1),
]

/** The section of awards, above all counts: one row per RFQ. */
function* awardRows(layout: ChannelLayout, rfqs: readonly RfqRow[], title: string): Generator<RowPlan> {
  const { number, award } = rfqColumns(layout)
  yield sectionRow(title)
  for (const row of tableRows([number, TITLE_COLUMN, award], rfqs)) yield { ...row, merged: [[2, WIDTHS.length - 1]] }
  if (rfqs.length === 0) yield textRow('No open RFQs, and no accepted offers.')
}

/** @param accepted how many other RFQs have an accepted offer */
function awardsTitle({ summary }: ChannelReport, accepted: number): string {
  const shownOf = (all: number) => (all > MAX_ROWS ? `, ${MAX_ROWS} of ${all}` : '')
  return `Awards: open RFQs by due date${shownOf(summary.open)}, then accepted offers${shownOf(accepted)}`
}

function rfqFacts({ report, rfqs }: ChannelLayout): FactBlock {
  const { summary, context } = report
  const range = (key: RfqRowKey) => rfqs.range(key)
  const countOpen = (criteria: string, cached: number) =>
    formula(`COUNTIFS(${range('state')},"open",${criteria})`, cached, style.integer)
  return {
    title: 'RFQs',
    facts: [
      ['As of', moment(context.asOf, style.asRight(style.timestamp))],
      ['As-of date', date(context.asOfDate, style.asRight(style.calendarDate))],
      ['RFQs', number(summary.rfqs, style.asBold(style.integer))],
      ...breakdownFacts(summary.byState.slice(0, 5).map(({ state, rfqs: count }) => [state, count])),
      ['Due within 7 days', countOpen(`${range('daysToDue')},">=0",${range('daysToDue')},"<=7"`, summary.dueSoon)],
      ['Open past due date', countOpen(`${range('daysToDue')},"<0"`, summary.overdue)],
      ['Open without offers', countOpen(`${range('offers')},0`, summary.openWithoutOffers)],
      ['Missing from list', number(summary.missing, style.integer)],
      ['Not matching the API documentation', number(summary.invalid, style.integer)],
    ],
  }
}

function offerFacts({ report, rfqs, numbers, unreadOffers }: ChannelLayout): FactBlock {
  const { summary } = report
  const sum = (key: RfqRowKey) => `SUMIFS(${rfqs.range(key)},${rfqs.range('state')},"open")`
  const covered = summary.openWanted > 0 ? summary.openCovered / summary.openWanted : null
  // What one RFQ is offered beyond its volume covers nothing of another.
  const [wanted, volume] = [rfqs.range('wanted'), rfqs.range('volume')]
  const coveredSum = `SUMPRODUCT((${rfqs.range('state')}="open")*(${volume}+${wanted}-ABS(${volume}-${wanted}))/2)`
  const coverage = `IF(${sum('wanted')}>0,${coveredSum}/${sum('wanted')},NA())`
  return {
    title: 'Offers',
    facts: [
      ['Offers', number(summary.offers, style.asBold(style.integer))],
      ...breakdownFacts(summary.byStatus.slice(0, 6).map(({ status, offers }) => [status, offers])),
      ...(unreadOffers === 0 ? [] : [['Offers not read yet', number(unreadOffers, style.integer)] as const]),
      ['Submitted late', number(summary.lateOffers, style.integer)],
      ['Wanted by open RFQs (t)', formula(sum('wanted'), summary.openWanted, numbers.volume)],
      ['Offered to open RFQs, ranked (t)', formula(sum('volume'), summary.openOffered, numbers.volume)],
      ['Coverage of wanted volume', formula(coverage, covered, style.percent)],
    ],
  }
}

function otherFacts({ summary }: ChannelReport): FactBlock {
  const count = (label: string, value: number): Fact => [label, number(value, style.integer)]
  const closings = summary.closings.slice(0, 6).map(({ decision, outcome, count: times }) => {
    const suffix = outcome === null ? '' : `: ${codeLabel(outcome).toLowerCase()}`
    return count(`  ${codeLabel(decision)}${suffix}`, times)
  })
  return {
    title: 'Listings, closings, flags',
    facts: [
      ['Listings', number(summary.listings, style.asBold(style.integer))],
      count('  missing from list', summary.missingListings),
      ['Latest closings', text(closings.length === 0 ? 'none' : null, style.asRight(style.body))],
      ...closings,
      count('High flags', summary.flags.high),
      count('Medium flags', summary.flags.medium),
      count('Low flags', summary.flags.low),
      count('Problems in documents', summary.problems),
    ],
  }
}

// --- open RFQs ------------------------------------------------------------------------------------------------------

const openTitle = ({ summary }: ChannelReport, shown: number) =>
  shown < summary.open ? `The ${shown} open RFQs due next, of ${summary.open}` : 'Open RFQs by due date'

/** Columns that refer to the sheet `RFQs`, whose first rows are the open RFQs in the same order. */
function openColumns(layout: ChannelLayout): Column<RfqRow>[] {
  const columns = rfqColumns(layout)
  const fromRfqs = (key: RfqRowKey) => {
    const source = (index: number) => layout.rfqs.cell(key, index)
    const expression = (_: RfqRow, index: number) => `IF(ISNUMBER(${source(index)}),${source(index)},"${NO_FIGURE}")`
    return referringColumn(columns[key], expression, { otherwise: NO_FIGURE })
  }
  return [
    columns.number,
    TITLE_COLUMN,
    columns.due,
    ...(['daysToDue', 'wanted', 'volume', 'coverage', 'best'] as const).map(fromRfqs),
    // A text instead of a figure if offers were not read yet, so it is copied as it is.
    referringColumn(columns.offers, (_, index) => layout.rfqs.cell('offers', index)),
    ...(['ranked', 'high'] as const).map(fromRfqs),
  ]
}

/** @param headRow header row of the table of open RFQs */
function volumeChart(open: readonly RfqRow[], headRow: number, row: number): SheetChart {
  const { range, series } = chartColumns('Summary', headRow)
  const numbers = open.map((rfq) => String(rfq.number ?? ''))
  const [wanted, offered] = [open.map((rfq) => rfq.wanted), open.map((rfq) => rfq.volume)]
  return {
    title: 'Wanted and offered by open RFQ (t)',
    alt: `Columns: tonnes wanted and tonnes offered by ranked offers, for the ${open.length} open RFQs due next.`,
    stacked: false,
    categories: range(1, numbers),
    categoryTitle: 'RFQ, by due date',
    valueTitle: 'Tonnes',
    format: '#,##0',
    series: [series(5, 'Wanted (t)', wanted), { ...series(6, 'Offered, ranked (t)', offered), awarded: true }],
    anchor: { column: 0, row, toColumn: 11, toRow: row + CHART_ROWS },
  }
}

export type Fact = readonly [label: string, value: Cell]
export interface FactBlock {
  title: string
  facts: readonly Fact[]
}

/** Blocks of labels and values, side by side. Each takes four columns: label, room for long labels, value, gap. */
export function* factBlockRows(blocks: readonly FactBlock[]): Generator<RowPlan> {
  yield sectionRow(...blocks.flatMap(({ title }) => [title, ...emptyCells(3)]))
  const rows = Math.max(...blocks.map(({ facts }) => facts.length))
  for (let row = 0; row < rows; row++) yield { cells: blocks.flatMap(({ facts }) => factCells(facts[row])) }
}

const factCells = (fact: Fact | undefined): (Cell | undefined)[] =>
  fact ? [text(fact[0], style.label), blank(style.label), fact[1], undefined] : emptyCells(4)

/** A line for each code below a total: how many of it have that code. */
export const breakdownFacts = (counts: readonly (readonly [code: string, count: number])[]): Fact[] =>
  counts.map(([code, count]) => {
    const label = `  of which ${codeLabel(code).toLowerCase()}`.slice(0, 40)
    return [label, number(count, style.integer)]
  })
