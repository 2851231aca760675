import type ExcelJS from 'exceljs'
import type { Cell } from '../xlsx/cells.js'
import type { Chart } from '../xlsx/chart-xml.js'

/** One row; undefined cells are left out. */
export interface RowPlan {
  cells: readonly (Cell | undefined)[]
  /** Points. */
  height?: number
  /** Tells of the workbook itself, such as how many inputs its reader changed: other forms leave it out. */
  workbookOnly?: boolean
}

/** A cell the reader may change, and what it may hold. */
export interface Validation {
  address: string
  rule: ExcelJS.DataValidation
}

/** A sheet before it is written: values only. Rows may be asked for more than once and give the same each time. */
export interface SheetPlan {
  name: string
  /** Column units; the result of the generator, which pauses now and then: a long table takes long to be measured. */
  widths: () => Generator<void, readonly number[]>
  columns: number
  /** Heights are those rows need in columns of these widths; without widths there are none. */
  rows: (widths?: readonly number[]) => Iterable<RowPlan>
  /** Rows and columns that stay when the reader scrolls. */
  frozen?: { rows?: number; columns?: number }
  /** Range with a filter on each header, such as `A5:K20`. */
  filter?: string
  merges?: readonly string[]
  rules?: readonly ExcelJS.ConditionalFormattingOptions[]
  validations?: readonly Validation[]
  charts?: readonly Chart[]
  /** Names formulas call cells by. */
  names?: readonly { name: string; address: string }[]
  /** ARGB. */
  tab?: string
  print: PrintPlan
}

/** Makes a sheet when its turn has come. */
export type SheetMaker = () => SheetPlan

export interface PrintPlan {
  /** First and last row repeated on each page. */
  titleRows?: readonly [number, number]
  /** Columns repeated on each page, such as `A:B`. */
  titleColumns?: string
  /** First and last row that are printed, where the rows above are for the screen; pages have a header then. */
  from?: number
  to?: number
  /** Rows after which a page ends. */
  breaksAfter?: readonly number[]
  /** Pages side by side; one unless told. */
  pagesWide?: number
}

/** What identifies a workbook on every page and in its properties. Text from outside, not cleaned. */
export interface Identity {
  title: string
  subject: string
  /** Left part of the footer, such as `RFQ 42 · as of 2026-01-31 12:00 UTC`. */
  footer: string
  /** Stands as the date of the document and of every part: equal models give equal bytes. */
  asOf: Date
}
