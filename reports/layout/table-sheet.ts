import { FONT_POINTS, header, headerRight, hint, type Style, section, subtitle, title } from '../xlsx/cell-styles.js'
import { blank, type Cell, text } from '../xlsx/cells.js'
import { cellText, isNumberOrDate } from './cell-text.js'
import { columnLetter, type Grid } from './grid.js'
import type { RowPlan, SheetPlan } from './sheet-plan.js'
import { columnWidth, rowHeight, wrappedLines } from './text-metrics.js'

/** One column of a table: its header, width and cells. */
export interface ColumnPlan<Row> {
  /** Including the unit. */
  header: string
  /** Column units. The column is as wide as its content, within these limits. */
  minWidth?: number
  maxWidth?: number
  /** Aligns the header right, as numbers are. */
  alignRight?: boolean
  /** Starts a band with this title above the headers; it covers the columns up to the next band. */
  band?: string
  cell: (row: Row, index: number) => Cell
}

interface TablePlan<Row, Key extends string> extends Omit<SheetPlan, 'name' | 'widths' | 'columns' | 'rows' | 'print'> {
  grid: Grid<Key>
  heading: Heading
  columns: Readonly<Record<Key, ColumnPlan<Row>>>
  rows: readonly Row[]
  /** Shown if there are no rows. */
  emptyText: string
  /** Number of columns that stay in view when the reader scrolls and are repeated on each page. */
  frozenColumns: number
  pagesWide?: number
  /** Cells directly above the headers, by column; they replace the bands. */
  cellsAboveHeader?: Partial<Record<Key, Cell>>
}

/** The three lines above the content of a sheet. */
export interface Heading {
  title: string
  /** Which RFQ or channel, and as of when. */
  subject: string
  /** How to read the sheet. */
  note: string
}

/** Row of the headers on every sheet made by `tableSheet`. */
export const HEADER_ROW = 5
const MIN_COLUMN_UNITS = 9
const DEFAULT_MAX_COLUMN_UNITS = 32
const MAX_HEADER_LINES = 3

/** A sheet with one table: heading, frozen headers with filters, and columns as wide as their content. */
export function tableSheet<Row, Key extends string>(plan: TablePlan<Row, Key>): SheetPlan {
  const columns = plan.grid.keys.map((key) => plan.columns[key])
  const last = columnLetter(columns.length)
  const { grid, marks, validations, charts, tab, frozenColumns } = plan
  return {
    name: grid.sheet,
    widths: () => columnWidths(columns, plan.rows),
    columns: columns.length,
    rows: (widths) => tableRows(plan, columns, widths),
    frozen: { rows: grid.headerRow, columns: frozenColumns },
    filter: `A${grid.headerRow}:${last}${grid.lastRow}`,
    print: {
      titleRows: [grid.headerRow, grid.headerRow],
      titleColumns: `A:${columnLetter(frozenColumns)}`,
      ...pageSettings(plan),
    },
    ...(marks && { marks }),
    ...(validations && { validations }),
    ...(charts && { charts }),
    ...(tab !== undefined && { tab }),
  }
}

/** The heading would be cut off on pages side by side, so these begin at the row above the headers. */
function pageSettings<Row, Key extends string>({ grid, pagesWide = 1 }: TablePlan<Row, Key>) {
  return pagesWide === 1 ? { pagesWide } : { pagesWide, from: grid.headerRow - 1, to: grid.lastRow }
}

function* tableRows<Row, Key extends string>(
  plan: TablePlan<Row, Key>,
  columns: readonly ColumnPlan<Row>[],
  widths: readonly number[] | undefined,
): Generator<RowPlan> {
  yield* headingRows(plan.heading)
  yield {
    cells: plan.cellsAboveHeader ? plan.grid.keys.map((key) => plan.cellsAboveHeader?.[key]) : bandCells(columns),
  }
  yield headerRow(columns, widths)
  for (const [index, row] of plan.rows.entries()) {
    yield fittedRow(
      columns.map((column) => column.cell(row, index)),
      widths,
    )
  }
  if (plan.rows.length === 0) yield { cells: [text(plan.emptyText, hint)] }
}

/** Title, subject and note, one row each. */
export function* headingRows(heading: Heading): Generator<RowPlan> {
  yield { cells: [text(heading.title, title)], height: 24 }
  yield { cells: [text(heading.subject, subtitle)], height: 17 }
  yield { cells: [text(heading.note, hint)] }
}

const bandCells = (columns: readonly ColumnPlan<never>[]) =>
  columns.map((column) => (column.band === undefined ? undefined : text(column.band, section)))

function headerRow(columns: readonly ColumnPlan<never>[], widths: readonly number[] | undefined): RowPlan {
  return fittedRow(
    columns.map((column) => text(column.header, column.alignRight ? headerRight : header)),
    widths,
  )
}

/** A row high enough for its wrapped cells in columns of these widths; without widths it has no height. */
export function fittedRow(cells: readonly (Cell | undefined)[], widths: readonly number[] | undefined): RowPlan {
  if (widths === undefined) return { cells }
  const lines = cells.reduce((max, cell, index) => Math.max(max, lineCount(cell, widths[index] ?? MIN_COLUMN_UNITS)), 1)
  return { cells, height: rowHeight(lines) }
}

function lineCount(cell: Cell | undefined, width: number): number {
  if (cell?.style.alignment?.wrapText !== true) return 1
  return wrappedLines(cellText(cell), width, fontOf(cell.style))
}

const fontOf = ({ font, alignment }: Style) => ({
  bold: font?.bold === true,
  points: font?.size ?? FONT_POINTS,
  indent: alignment?.indent ?? 0,
})

/** Rows measured before the generator yields. */
const ROWS_PER_STEP = 200

/** Ignores `maxWidth` for numbers and dates, which do not wrap and would show as ####. */
function* columnWidths<Row>(columns: readonly ColumnPlan<Row>[], rows: readonly Row[]): Generator<void, number[]> {
  const headerWidths = columns.map(({ header }) => headerWidth(header))
  const widths = columns.map(({ minWidth = MIN_COLUMN_UNITS }, at) => Math.max(minWidth, headerWidths[at] ?? 0))
  for (const [index, row] of rows.entries()) {
    for (const [at, column] of columns.entries()) {
      const cell = column.cell(row, index)
      const max = isNumberOrDate(cell)
        ? Number.POSITIVE_INFINITY
        : Math.max(column.maxWidth ?? DEFAULT_MAX_COLUMN_UNITS, headerWidths[at] ?? 0)
      widths[at] = Math.max(widths[at] ?? MIN_COLUMN_UNITS, Math.min(max, cellWidth(cell)))
    }
    if (index % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield
  }
  return widths
}

const cellWidth = (cell: Cell) => columnWidth(cellText(cell), fontOf(cell.style))

/** Columns of at least these widths, wide enough for every number and date; text may wrap or overflow. */
export const fixedWidths = (widths: readonly number[], rows: () => Iterable<RowPlan>) => ({
  widths: () => widenForNumbers(widths, rows()),
  columns: widths.length,
})

function* widenForNumbers(widths: readonly number[], rows: Iterable<RowPlan>): Generator<void, number[]> {
  const widened = [...widths]
  for (const { cells } of rows) {
    for (const [index, cell] of cells.entries()) {
      if (cell !== undefined && isNumberOrDate(cell))
        widened[index] = Math.max(widened[index] ?? MIN_COLUMN_UNITS, cellWidth(cell))
    }
    yield
  }
  return widened
}

/** A header may take three lines, but no word is broken. Includes room for the filter button. */
function headerWidth(text: string): number {
  const bold = { bold: true }
  const words = text.split(' ').map((word) => columnWidth(word, bold))
  const share = (columnWidth(text, bold) / MAX_HEADER_LINES) * 1.15
  return Math.max(...words, share) + 2
}

/** Empty rows. */
export function* emptyRows(rows: number): Generator<RowPlan> {
  for (let row = 0; row < rows; row++) yield { cells: [blank()] }
}

/** Collects the rows of a sheet; a row that needs its own row number is given as a function. */
export class RowList {
  readonly rows: RowPlan[] = []

  add(...rows: (RowPlan | ((row: number) => RowPlan))[]): this {
    for (const each of rows) this.rows.push(typeof each === 'function' ? each(this.rows.length + 1) : each)
    return this
  }
  /** Adds an empty row and a section title. */
  addSection(words: string): this {
    return this.add({ cells: [] }, { cells: [text(words, section)], height: 18 })
  }
}
