import type { Cell } from '../xlsx/cells.js'
import type { Mark } from './marks.js'

/**
 * What a row is for, which decides how it is shown: the title of the sheet, the line that all sheets share, a
 * note on how to read the sheet, the title of a section (or titles side by side), column headers, or content.
 */
export type RowRole = 'title' | 'subject' | 'note' | 'section' | 'head' | 'body'

/** One row; undefined cells are not written. */
export interface RowPlan {
  /** Default `body`. */
  role?: RowRole
  cells: readonly (Cell | undefined)[]
  /** Points; by default, what the wrapped cells need. */
  height?: number
  /** First and last of the columns joined to one cell, counted from 0; one pair for each such cell. */
  merged?: readonly (readonly [first: number, last: number])[]
  /** A printed page begins with this row. */
  newPage?: boolean
}

/** A sheet before it is written. `rows` may be called repeatedly and returns the same rows each time. */
export interface SheetPlan {
  name: string
  /** Returns column units. A generator that yields between rows, because measuring a long table takes time. */
  widths: () => Generator<void, readonly number[]>
  columns: number
  rows: () => Iterable<RowPlan>
  /** Number of rows and columns that stay in view when the reader scrolls. */
  frozen?: { rows?: number; columns?: number }
  /** Range with a filter on each header, such as `A5:K20`. */
  filter?: string
  /** Earlier marks take priority. */
  marks?: readonly Mark[]
  print?: PrintPlan
}

/** Creates a sheet; called only when the sheet is about to be written. */
export type SheetFactory = () => SheetPlan

interface PrintPlan {
  /** The sheet is scaled to one page. */
  onePage?: boolean
  /** The last printed row, if not all are printed. */
  lastRow?: number
  /** Number of printed columns, if not all are printed. */
  columns?: number
  /** First and last row repeated on each page. */
  titleRows?: readonly [number, number]
  /** Columns repeated on each page, such as `A:B`. */
  titleColumns?: string
  /**
   * First printed row if the sheet is several pages wide, because the heading would be cut off at the edge of the first
   * page; pages then have a header instead.
   */
  firstRowIfWide?: number
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
