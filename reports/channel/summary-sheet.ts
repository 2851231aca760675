import type { ChannelReport, RfqRow } from '../../src/compare/channel/channel-report-model.js'
import { oneLine } from '../../src/core/text/clean-text.js'
import { NO_FIGURE } from '../layout/cell-text.js'
import { columnsOf } from '../layout/columns.js'
import { bar, here, is, mark } from '../layout/marks.js'
import { bodyRow, emptyCells, emptyRows, RowList, sectionRow, subjectRow, textRow, titleRow } from '../layout/rows.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { rowSheet, tableRows } from '../layout/table-sheet.js'
import { asOfLabel, codeLabel } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, date, moment, number, sheetLink, text } from '../xlsx/cells.js'
import type { ChannelLayout } from './layout.js'
import { rfqColumns } from './rfqs-sheet.js'

const WIDTHS = [7, 34, 17, 16, 19, 14, 16, 13, 12, 15, 19]
const LINKED = ['RFQs', 'Offers', 'Closings', 'Listings', 'About']
/** Maximum number of open RFQs, and of other RFQs with an accepted offer, listed. */
const MAX_ROWS = 15
/** The title of an RFQ; its reference or ID if it has none. */
const TITLE_COLUMN = columnsOf<RfqRow>().text(
  'Title',
  ({ title, reference, id }) => oneLine(title ?? reference ?? id),
  {
    style: style.boldWrapped,
  },
)

/** The sheet `Summary` of a channel: awards, counts, and the open RFQs due next. */
export function channelSummarySheet(layout: ChannelLayout): SheetPlan {
  const { report } = layout
  const open = report.rfqs.filter(({ state }) => state === 'open').slice(0, MAX_ROWS)
  const accepted = report.rfqs.filter((rfq) => rfq.accepted !== null && !open.includes(rfq))
  const awards = awardRows(layout, [...open, ...accepted.slice(0, MAX_ROWS)], awardsTitle(report, accepted.length))
  const list = new RowList().add(...topRows(report), ...awards, ...emptyRows(1))
  list.add(...factBlockRows([rfqFacts(report), offerFacts(layout), otherFacts(report)]), ...emptyRows(1))
  list.add(sectionRow(openTitle(report, open.length)))
  const firstRow = list.next + 1
  const lastRow = firstRow + Math.max(0, open.length - 1)
  const columns = rfqColumns(layout)
  const { daysToDue, wanted, volume, coverage, best, offers, ranked, loud } = columns
  const shown = [columns.number, TITLE_COLUMN, columns.due, daysToDue, wanted, volume, coverage, best, offers, ranked]
  list.add(...tableRows([...shown, loud], open))
  if (open.length === 0) list.add(textRow('No open RFQs.'))
  return rowSheet({
    name: 'Summary',
    widths: WIDTHS,
    rows: () => list.rows,
    marks: [
      mark(`D${firstRow}:D${lastRow}`, is(here, '<', 0), 'bad'),
      mark(`D${firstRow}:D${lastRow}`, is(here, '<=', 7), 'warn'),
      mark(`K${firstRow}:K${lastRow}`, is(here, '>', 0), 'bad'),
      bar(`G${firstRow}:G${lastRow}`, 1),
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

function rfqFacts({ summary, context }: ChannelReport): FactBlock {
  return {
    title: 'RFQs',
    facts: [
      ['As of', moment(context.asOf, style.asRight(style.timestamp))],
      ['As-of date', date(context.asOfDate, style.asRight(style.calendarDate))],
      ['RFQs', number(summary.rfqs, style.asBold(style.integer))],
      ...breakdownFacts(summary.byState.slice(0, 5).map(({ state, rfqs: count }) => [state, count])),
      ['Due within 7 days', number(summary.dueSoon, style.integer)],
      ['Open past due date', number(summary.overdue, style.integer)],
      ['Open without offers', number(summary.openWithoutOffers, style.integer)],
      ['Missing from list', number(summary.missing, style.integer)],
      ['Not matching the API documentation', number(summary.invalid, style.integer)],
    ],
  }
}

function offerFacts({ report, numbers, unreadOffers }: ChannelLayout): FactBlock {
  const { summary } = report
  const covered = summary.openWanted > 0 ? summary.openCovered / summary.openWanted : null
  return {
    title: 'Offers',
    facts: [
      ['Offers', number(summary.offers, style.asBold(style.integer))],
      ...breakdownFacts(summary.byStatus.slice(0, 6).map(({ status, offers }) => [status, offers])),
      ...(unreadOffers === 0 ? [] : [['Offers not read yet', number(unreadOffers, style.integer)] as const]),
      ['Submitted late', number(summary.lateOffers, style.integer)],
      ['Wanted by open RFQs (t)', number(summary.openWanted, numbers.volume)],
      ['Offered to open RFQs, ranked (t)', number(summary.openOffered, numbers.volume)],
      ['Coverage of wanted volume', number(covered, style.percent, NO_FIGURE)],
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
      count('Loud flags', summary.flags.loud),
      count('Quiet flags', summary.flags.quiet),
      count('Problems in documents', summary.problems),
    ],
  }
}

// --- open RFQs ------------------------------------------------------------------------------------------------------

const openTitle = ({ summary }: ChannelReport, shown: number) =>
  shown < summary.open ? `The ${shown} open RFQs due next, of ${summary.open}` : 'Open RFQs by due date'

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
