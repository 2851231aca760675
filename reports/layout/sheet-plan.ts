import type { Cell } from '../xlsx/cells.js'
import type { DataValidation } from '../xlsx/validations.js'
import type { Chart } from './chart.js'
import type { Mark } from './marks.js'

/** One row; undefined cells are not written. */
export interface RowPlan {
  cells: readonly (Cell | undefined)[]
  /** Points. */
  height?: number
  /** About the workbook itself, such as how many inputs were changed; omitted from the HTML page. */
  workbookOnly?: boolean
}

/** An input cell and the values it accepts. */
export interface Validation {
  address: string
  rule: DataValidation
}

/** A sheet before it is written in any format. `rows` may be called repeatedly and returns the same rows each time. */
export interface SheetPlan {
  name: string
  /** Returns column units. A generator that yields between rows, because measuring a long table takes time. */
  widths: () => Generator<void, readonly number[]>
  columns: number
  /** Rows get the heights they need in columns of these widths; without widths they have no height. */
  rows: (widths?: readonly number[]) => Iterable<RowPlan>
  /** Number of rows and columns that stay in view when the reader scrolls. */
  frozen?: { rows?: number; columns?: number }
  /** Range with a filter on each header, such as `A5:K20`. */
  filter?: string
  merges?: readonly string[]
  /** Earlier marks take priority. */
  marks?: readonly Mark[]
  validations?: readonly Validation[]
  charts?: readonly Chart[]
  /** Names that formulas use for cells. */
  names?: readonly { name: string; address: string }[]
  /** Colour of the sheet tab, ARGB. */
  tab?: string
  print: PrintPlan
}

/** Creates a sheet; called only when the sheet is about to be written. */
export type SheetFactory = () => SheetPlan

interface PrintPlan {
  /** First and last row repeated on each page. */
  titleRows?: readonly [number, number]
  /** Columns repeated on each page, such as `A:B`. */
  titleColumns?: string
  /** First and last printed row, where the rows above are for the screen only; pages then have a header. */
  from?: number
  to?: number
  /** Rows after which a page ends. */
  breaksAfter?: readonly number[]
  /** Number of pages side by side; default 1. */
  pagesWide?: number
}

/** What identifies a report in its title, document properties and page footers. Text from outside, not yet cleaned. */
export interface ReportIdentity {
  title: string
  subject: string
  /** Left part of the footer, such as `RFQ 42 · as of 2026-01-31 12:00 UTC`. */
  footer: string
  /** Also the creation date of the document, so that equal models give equal bytes. */
  asOf: Date
}
