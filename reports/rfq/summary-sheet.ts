import { offersLine } from '../../src/compare/report/offers-line.js'
import type { RfqReport } from '../../src/compare/report/rfq-report-model.js'
import { oneLine } from '../../src/core/clean-text.js'
import { formatAmount, formatPrice, formatRange } from '../../src/core/number-format.js'
import { emptyCells, GAP, RowList, subjectRow, textRow } from '../layout/rows.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { rowSheet } from '../layout/table-sheet.js'
import { codeList, codeWords, freshnessLabel, severityLabels } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, formula, sheetLink, text } from '../xlsx/cells.js'
import { MASTER_CHECK_CELL, masterCheckMarks } from './checks-sheet.js'
import { type RfqLayout, rfqName } from './layout.js'
import { summaryCharts } from './summary-charts.js'
import { offerTable, scenarioRows } from './summary-offers.js'
import { recommendationRows } from './summary-recommendation.js'

/** Column units: number, name and figures of the tables, words, then the charts beside them. */
const WIDTHS = [5, 29, 12, 10, 13, 10, 15, 12, 12, 9, 12, 36, 10, 10, 10, 10, 10, 10]
/** Columns of the tables; the charts stand to their right. */
const TABLE_COLUMNS = 12
const LINKED = [
  'Inputs',
  'Comparison',
  'Offers',
  'Award',
  'Negotiation',
  'Sensitivity',
  'Checks',
  'Statistics',
  'About',
]
const MASTER_CHECK = 'L1'

/** `Summary`: one page that says whom to award, why, and what could change that. */
export function summarySheet(layout: RfqLayout): SheetPlan {
  const { report } = layout
  const list = new RowList().add(...topRows(report), GAP)
  list.add(...recommendationRows(layout, list.next, WIDTHS.length))
  const top = list.next
  const marks = masterCheckMarks(MASTER_CHECK)
  if (report.offers.length === 0) return page(list.add(...withoutOffers(report)), { marks })
  const scenarios = scenarioRows(layout, list.add(GAP).next)
  const offers = offerTable(layout, list.add(...scenarios.rows, GAP).next)
  list.add(...offers.rows, GAP, { cells: [undefined, ...LINKED.map((sheet) => sheetLink(sheet, sheet, style.link))] })
  const place = { row: top, toRow: list.next - 2, column: TABLE_COLUMNS, toColumn: WIDTHS.length }
  const drawn = summaryCharts(layout, offers, place)
  list.add(...drawn.rows)
  return page(list, { charts: drawn.charts, marks: [...marks, ...scenarios.marks, ...offers.marks] })
}

const page = ({ rows }: RowList, more: Pick<SheetPlan, 'charts' | 'marks'>): SheetPlan =>
  rowSheet({ name: 'Summary', widths: WIDTHS, rows: () => rows, cards: true, print: { onePage: true }, ...more })

function* topRows(report: RfqReport): Generator<RowPlan> {
  const { context, rfq, checks, decision } = report
  const subject = [rfq.title ?? 'Untitled', context.channel, freshnessLabel(context)].map(oneLine).join(' · ')
  const verdict = formula(
    `"Checks: "&${MASTER_CHECK_CELL}`,
    `Checks: ${checks.master.verdict}`,
    style.asRight(style.asBold(style.plain)),
  )
  yield {
    role: 'title',
    cells: [text(`Offer comparison: ${rfqName(report)}`, style.title), ...emptyCells(TABLE_COLUMNS - 2), verdict],
    height: 24,
  }
  yield subjectRow(subject)
  yield { role: 'subject', cells: [text(requestLine(report), style.plain)] }
  yield { role: 'subject', cells: [text(offersLine(report), style.plain)] }
  // The recommendation leads with an accepted award.
  for (const { code, words } of decision.banners) {
    if (code === 'offer-accepted') continue
    yield {
      cells: [text(words, style.banner), ...emptyCells(WIDTHS.length - 1).map(() => blank(style.banner))],
      merged: [[0, WIDTHS.length - 1]],
    }
  }
}

/** What the page says in place of tables: flags on the RFQ, and where the other sheets are. */
const withoutOffers = ({ rfq }: RfqReport): RowPlan[] => [
  GAP,
  ...rfq.flags
    .filter(({ code }) => code !== 'rfq-no-offers')
    .map(({ severity, words }) => textRow(`${severityLabels[severity]}: ${words}`, style.plain)),
  textRow(HIDDEN_NOTE, style.hint),
]
const HIDDEN_NOTE =
  'The other sheets are hidden, because they have nothing to compare: right-click the tab of this sheet to show them.'

/** What is asked for, in one line. */
function requestLine({ rfq, currency }: RfqReport): string {
  const dates = [
    rfq.responseDueDate === null ? null : `responses due ${rfq.responseDueDate}`,
    rfq.fulfilmentDueDate === null ? null : `delivery by ${rfq.fulfilmentDueDate}`,
  ]
  const volume = formatRange(rfq.minVolume, rfq.maxVolume, formatAmount)
  const price = formatRange(rfq.minUnitPrice, rfq.maxUnitPrice, formatPrice)
  const years = formatRange(rfq.minVintageYear, rfq.maxVintageYear, String)
  const limits = [
    volume === null ? 'no volume stated' : `${volume} t`,
    price === null ? null : `${price} ${currency.rfq ?? ''}/t`,
    years === null ? null : `vintages ${years}`,
    rfq.contractTypes.length === 0 ? null : codeList(rfq.contractTypes).toLowerCase(),
  ]
  return `Request: ${[codeWords(rfq.state ?? 'unknown').toLowerCase(), ...dates, ...limits].filter((part) => part !== null).join(' · ')}`
}
