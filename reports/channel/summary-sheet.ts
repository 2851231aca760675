import type { ChannelReport, RfqRow } from '../../src/compare/channel/summarise-channel.js'
import { oneLine } from '../../src/core/text/clean-text.js'
import { columnsOf } from '../layout/columns.js'
import { asOfLabel, codeLabel } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, date, moment, NO_FIGURE, number, text } from '../xlsx/cells.js'
import type { Sheet } from '../xlsx/sheet.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import type { ChannelLayout } from './layout.js'
import { rfqColumns } from './rfqs-sheet.js'

const WIDTHS = [8, 34, 22, 16, 19, 14, 16, 13, 12, 15, 19]
/** Maximum number of open RFQs, and of other RFQs with an accepted offer, listed. */
const MAX_ROWS = 15
/** The title of an RFQ; its reference or ID if it has none. */
const titleOf = ({ title, reference, id }: RfqRow) => oneLine(title ?? reference ?? id)
const TITLE_COLUMN = columnsOf<RfqRow>().text('Title', titleOf, { style: style.boldWrapped })

/** The sheet `Summary` of a channel: awards, counts, and the open RFQs due next. */
export const channelSummarySheet =
  (layout: ChannelLayout): WriteSheet =>
  (add) => {
    const { report } = layout
    const { context } = report
    const open = report.rfqs.filter(({ state }) => state === 'open').slice(0, MAX_ROWS)
    const accepted = report.rfqs.filter((rfq) => rfq.accepted !== null && !open.includes(rfq))
    const sheet = add({ widths: WIDTHS })
    sheet.add([text(`Channel ${context.channel}`, style.title)])
    sheet.add([text(`Overview ${asOfLabel(context.asOf)}`, style.subtitle)])
    sheet.addSection(awardsTitle(report, accepted.length))
    addAwards(sheet, [...open, ...accepted.slice(0, MAX_ROWS)])
    addFactBlocks(sheet, [rfqFacts(report), offerFacts(layout), otherFacts(report)])
    sheet.addSection(openTitle(report, open.length))
    const { number, due, daysToDue, wanted, volume, coverage, best, offers, ranked, loud } = rfqColumns(layout)
    sheet.addTable(
      { number, title: TITLE_COLUMN, due, daysToDue, wanted, volume, coverage, best, offers, ranked, loud },
      open,
    )
  }

/** One row per RFQ: whom to award, or why nobody. */
function addAwards(sheet: Sheet, rfqs: readonly RfqRow[]): void {
  const headers = ['RFQ', 'Title', 'Award'].map((header) => text(header, style.header))
  const merged = [[2, WIDTHS.length - 1]] as const
  sheet.add(headers, { merged })
  for (const rfq of rfqs)
    sheet.add(
      [
        number(rfq.number, style.plainNumber),
        text(titleOf(rfq), style.boldWrapped),
        text(rfq.awardText, style.wrapped),
      ],
      { merged },
    )
  if (rfqs.length === 0) sheet.add([text('No open RFQs, and no accepted offers.', style.hint)])
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

function offerFacts({ report, tonnes, unreadOffers }: ChannelLayout): FactBlock {
  const { summary } = report
  const covered = summary.openWanted > 0 ? summary.openCovered / summary.openWanted : null
  return {
    title: 'Offers',
    facts: [
      ['Offers', number(summary.offers, style.asBold(style.integer))],
      ...breakdownFacts(summary.byStatus.slice(0, 6).map(({ status, offers }) => [status, offers])),
      ...(unreadOffers === 0 ? [] : [['Offers not read yet', number(unreadOffers, style.integer)] as const]),
      ['Submitted late', number(summary.lateOffers, style.integer)],
      ['Wanted by open RFQs (t)', number(summary.openWanted, tonnes)],
      ['Offered to open RFQs, ranked (t)', number(summary.openOffered, tonnes)],
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

type Fact = readonly [label: string, value: Cell]
interface FactBlock {
  title: string
  facts: readonly Fact[]
}

/** Blocks of labels and values, side by side. Each takes four columns: label, room for long labels, value, gap. */
function addFactBlocks(sheet: Sheet, blocks: readonly FactBlock[]): void {
  const gap = [undefined, undefined, undefined]
  sheet.add([]).add(blocks.flatMap(({ title }) => [text(title, style.section), ...gap]))
  const rows = Math.max(...blocks.map(({ facts }) => facts.length))
  for (let row = 0; row < rows; row++)
    sheet.add(
      blocks.flatMap(({ facts }) => {
        const [label, value] = facts[row] ?? []
        return value === undefined
          ? [undefined, ...gap]
          : [text(label, style.label), blank(style.label), value, undefined]
      }),
    )
}

/** A line for each code below a total: how many of it have that code. */
const breakdownFacts = (counts: readonly (readonly [code: string, count: number])[]): Fact[] =>
  counts.map(([code, count]) => {
    const label = `  of which ${codeLabel(code).toLowerCase()}`.slice(0, 40)
    return [label, number(count, style.integer)]
  })
