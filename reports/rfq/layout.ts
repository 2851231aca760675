import type { RfqReport } from '../../src/compare/report/compare-offers.js'
import { oneLine } from '../../src/core/text/clean-text.js'
import type { Column as ListColumn } from '../../src/tables/column.js'
import { offerLines, offerPrepayments } from '../../src/tables/offer/offer-lines.js'
import { OFFER_COLUMNS } from '../../src/tables/offer/offer-view.js'
import { rfqView } from '../../src/tables/rfq/rfq-view.js'
import type { Column, Columns } from '../layout/columns.js'
import { sheetColumns, tellingColumns } from '../layout/list-sheet.js'
import { asOfLabel, codeList, countryName } from '../layout/wording.js'
import type { Style } from '../xlsx/cell-styles.js'
import { formula } from '../xlsx/cells.js'
import type { ReportIdentity } from '../xlsx/workbook.js'

/** The input of the sheets of an RFQ's workbook: the view of the RFQ, and what several sheets show. */
export type RfqLayout = ReturnType<typeof rfqLayout>

export function rfqLayout(report: RfqReport) {
  const view = rfqView(report)
  return {
    view,
    name: rfqName(report),
    subject: subjectOf(report),
    offers: tableColumns(OFFER_COLUMNS, view.offers),
    lines: report.offers.flatMap(offerLines),
    payments: report.offers.flatMap(offerPrepayments),
  }
}

/** The columns of a table that say something about its rows, those for reading first, with codes of the marketplace in words. */
export const tableColumns = <Row>(columns: readonly ListColumn<Row>[], rows: readonly Row[]): Columns<Row> =>
  wordedColumns(tellingColumns(columns, rows), rows)

/** All columns of a table in their order, with codes of the marketplace in words. */
export const wordedColumns = <Row>(columns: readonly ListColumn<Row>[], rows: readonly Row[]): Columns<Row> =>
  Object.fromEntries(
    Object.entries(sheetColumns(columns, rows)).map(([key, column]) => [
      key,
      WORDS[key] ? inWords(column, WORDS[key]) : column,
    ]),
  )

/** How the codes in a column are worded, by its key. */
const WORDS: Readonly<Record<string, (text: string) => string>> = {
  ...Object.fromEntries(
    [
      'status',
      'standing',
      'contract',
      'review',
      'registry',
      'activity',
      'ecosystems',
      'labels',
      'method',
      'mitigation',
    ].map((key) => [key, (text: string) => codeList(text.split(', '))]),
  ),
  country: countryName,
}

const inWords = <Row>(column: Column<Row>, words: (text: string) => string): Column<Row> => ({
  ...column,
  cell: (row, place) => {
    const cell = column.cell(row, place)
    return typeof cell.value === 'string' ? { ...cell, value: words(cell.value) } : cell
  },
})

/** Some columns of a table, in this order. */
export const pick = <Row>(columns: Columns<Row>, ...keys: readonly string[]): Columns<Row> =>
  Object.fromEntries(keys.flatMap((key) => (columns[key] === undefined ? [] : [[key, columns[key]]])))

/** A column whose figures formulas explain. @param expressionOf null for a figure without one; `at` is the address of another cell of the row */
export const withFormula = <Row>(
  column: Column<Row>,
  expressionOf: (row: Row, at: (key: string) => string) => string | null,
): Column<Row> => ({
  ...column,
  cell: (row, place) => {
    const cell = column.cell(row, place)
    const expression = expressionOf(row, place.at)
    return expression === null || typeof cell.value !== 'number' ? cell : formula(expression, cell.value, cell.style)
  },
})

/** A column with some of its cells in another style. */
export const withStyle = <Row>(
  column: Column<Row>,
  styleOf: (style: Style) => Style,
  applies: (row: Row) => boolean,
): Column<Row> => ({
  ...column,
  cell: (row, place) => {
    const cell = column.cell(row, place)
    return applies(row) ? { ...cell, style: styleOf(cell.style) } : cell
  },
})

/** `RFQ 42 · REF-7`; without a number, the identifier. */
function rfqName({ rfq }: RfqReport): string {
  const name = `RFQ ${rfq.number ?? rfq.id}`
  return rfq.reference === null ? name : `${name} · ${oneLine(rfq.reference)}`
}

export const rfqIdentity = (report: RfqReport): ReportIdentity => ({
  title: `${rfqName(report)}: offer comparison`,
  subject: report.rfq.title ?? 'Offer comparison',
  footer: `${rfqName(report)} · ${report.context.channel} · ${asOfLabel(report.context.asOf)}`,
  asOf: new Date(report.context.asOf),
})

/** The same line on all sheets. */
function subjectOf(report: RfqReport): string {
  const parts = [rfqName(report), report.rfq.title ?? '', report.context.channel, asOfLabel(report.context.asOf)]
  return parts.map(oneLine).filter(Boolean).join(' · ')
}
