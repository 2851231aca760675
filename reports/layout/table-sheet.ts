import type { WriteSheet } from '../xlsx/workbook.js'
import { type Columns, widthsOf } from './columns.js'

/** A sheet with one table. */
interface TableSheet<Row> {
  name: string
  title: string
  /** How to read the sheet. */
  note: string
  columns: Columns<Row>
  rows: readonly Row[]
  /** Number of columns that stay in view when the reader scrolls. */
  frozenColumns: number
}

/** Row of the headers on every sheet made by `tableSheet`. */
export const HEADER_ROW = 5

/** A sheet with one table: heading, frozen headers with filters, and columns as wide as their content. */
export const tableSheet =
  <Row>({ subject }: { subject: string }, sheet: TableSheet<Row>): WriteSheet =>
  (add) => {
    const { name, title, note, columns, rows, frozenColumns } = sheet
    add({ widths: widthsOf(columns, rows), frozen: { rows: HEADER_ROW, columns: frozenColumns } })
      .addHeading(title, subject, note)
      .addTable(columns, rows, name)
      .printLegible()
  }
