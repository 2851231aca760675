import { FONT_POINTS, header, headerRight, hint, type Style, section, subtitle, title } from '../xlsx/cell-styles.js'
import { blank, type Cell, text } from '../xlsx/cells.js'
import { cellText, isNumberOrDate } from './cell-text.js'
import { columnLetter, type Grid } from './grid.js'
import type { RowPlan, SheetPlan } from './sheet-plan.js'
import { columnWidth, rowHeight, wrappedLines } from './text-metrics.js'

/** One column of a table, and how a row shows in it. */
export interface ColumnPlan<Row> {
  /** With its unit. */
  header: string
  /** Column units; the column is as wide as its content within these. */
  minWidth?: number
  maxWidth?: number
  /** Headers of numbers stand to the right, above them. */
  alignRight?: boolean
  /** Names a band over this column and those after it, until the next band. */
  band?: string
  cell: (row: Row, index: number) => Cell
}

export interface TablePlan<Row, Key extends string>
  extends Omit<SheetPlan, 'name' | 'widths' | 'columns' | 'rows' | 'print'> {
  grid: Grid<Key>
  heading: Heading
  columns: Readonly<Record<Key, ColumnPlan<Row>>>
  rows: readonly Row[]
  /** What stands there instead of rows. */
  emptyText: string
  /** Columns that stay when the reader scrolls, and are repeated on each page. */
  frozenColumns: number
  pagesWide?: number
  /** Cells right above the headers, by column; in place of bands. */
  cellsAboveHeader?: Partial<Record<Key, Cell>>
}

/** The lines above a sheet's content. */
export interface Heading {
  title: string
  /** Which RFQ or channel, and as of when. */
  subject: string
  /** How to read the sheet. */
  note: string
}

/** Row of the headers on every sheet that is one table. */
export const HEADER_ROW = 5
const LEAST = 9
const MOST = 32
const HEAD_LINES = 3

/** A sheet that is one table: heading, headers that stay, a filter on each, columns as wide as their content. */
export function tableSheet<Row, Key extends string>(plan: TablePlan<Row, Key>): SheetPlan {
  const columns = plan.grid.keys.map((key) => plan.columns[key])
  const last = columnLetter(columns.length)
  const { grid, rules, validations, charts, tab, frozenColumns: fixedColumns } = plan
  return {
    name: grid.sheet,
    widths: () => columnWidths(columns, plan.rows),
    columns: columns.length,
    rows: (widths) => tableRows(plan, columns, widths),
    frozen: { rows: grid.headerRow, columns: fixedColumns },
    filter: `A${grid.headerRow}:${last}${grid.lastRow}`,
    print: {
      titleRows: [grid.headerRow, grid.headerRow],
      titleColumns: `A:${columnLetter(fixedColumns)}`,
      ...pagesOf(plan),
    },
    ...(rules && { rules }),
    ...(validations && { validations }),
    ...(charts && { charts }),
    ...(tab !== undefined && { tab }),
  }
}

/** Side by side, pages would cut the heading: they begin at the bands. */
function pagesOf<Row, Key extends string>({ grid, pagesWide = 1 }: TablePlan<Row, Key>) {
  return pagesWide === 1 ? { pagesWide } : { pagesWide, from: grid.headerRow - 1, to: grid.lastRow }
}

function* tableRows<Row, Key extends string>(
  plan: TablePlan<Row, Key>,
  columns: readonly ColumnPlan<Row>[],
  widths: readonly number[] | undefined,
): Generator<RowPlan> {
  yield* headingRows(plan.heading)
  yield { cells: plan.cellsAboveHeader ? plan.grid.keys.map((key) => plan.cellsAboveHeader?.[key]) : bands(columns) }
  yield headRow(columns, widths)
  for (const [index, row] of plan.rows.entries()) {
    yield fittedRow(
      columns.map((column) => column.cell(row, index)),
      widths,
    )
  }
  if (plan.rows.length === 0) yield { cells: [text(plan.emptyText, hint)] }
}

/** Title, subject and note: three rows. */
export function* headingRows(heading: Heading): Generator<RowPlan> {
  yield { cells: [text(heading.title, title)], height: 24 }
  yield { cells: [text(heading.subject, subtitle)], height: 17 }
  yield { cells: [text(heading.note, hint)] }
}

const bands = (columns: readonly ColumnPlan<never>[]) =>
  columns.map((column) => (column.band === undefined ? undefined : text(column.band, section)))

function headRow(columns: readonly ColumnPlan<never>[], widths: readonly number[] | undefined): RowPlan {
  return fittedRow(
    columns.map((column) => text(column.header, column.alignRight ? headerRight : header)),
    widths,
  )
}

/** A row as high as its wrapped cells need in columns of these widths. */
export function fittedRow(cells: readonly (Cell | undefined)[], widths: readonly number[] | undefined): RowPlan {
  if (widths === undefined) return { cells }
  const lines = cells.reduce((most, cell, index) => Math.max(most, linesOf(cell, widths[index] ?? LEAST)), 1)
  return { cells, height: rowHeight(lines) }
}

function linesOf(cell: Cell | undefined, width: number): number {
  if (cell?.style.alignment?.wrapText !== true) return 1
  return wrappedLines(cellText(cell), width, typeOf(cell.style))
}

const typeOf = ({ font, alignment }: Style) => ({
  bold: font?.bold === true,
  points: font?.size ?? FONT_POINTS,
  indent: alignment?.indent ?? 0,
})

/** Rows measured between two pauses. */
const ROWS_A_PAUSE = 200

/** Text may be cut short by `most`, since it wraps; a figure that has no room shows as ####. */
function* columnWidths<Row>(columns: readonly ColumnPlan<Row>[], rows: readonly Row[]): Generator<void, number[]> {
  const heads = columns.map(({ header: head }) => headWidth(head))
  const widths = columns.map(({ minWidth: least = LEAST }, at) => Math.max(least, heads[at] ?? 0))
  for (const [index, row] of rows.entries()) {
    for (const [at, column] of columns.entries()) {
      const cell = column.cell(row, index)
      const most = isNumberOrDate(cell) ? Number.POSITIVE_INFINITY : Math.max(column.maxWidth ?? MOST, heads[at] ?? 0)
      widths[at] = Math.max(widths[at] ?? LEAST, Math.min(most, cellWidth(cell)))
    }
    if (index % ROWS_A_PAUSE === ROWS_A_PAUSE - 1) yield
  }
  return widths
}

const cellWidth = (cell: Cell) => columnWidth(cellText(cell), typeOf(cell.style))

/** Columns of these widths at least, which no figure of the rows overflows; text may wrap or run on. */
export const fixedWidths = (widths: readonly number[], rows: () => Iterable<RowPlan>) => ({
  widths: () => roomForFigures(widths, rows()),
  columns: widths.length,
})

function* roomForFigures(widths: readonly number[], rows: Iterable<RowPlan>): Generator<void, number[]> {
  const roomy = [...widths]
  for (const { cells } of rows) {
    for (const [index, cell] of cells.entries()) {
      if (cell !== undefined && isNumberOrDate(cell)) roomy[index] = Math.max(roomy[index] ?? LEAST, cellWidth(cell))
    }
    yield
  }
  return roomy
}

/** A header may take three lines, but no word of it is broken. The filter's button needs some room. */
function headWidth(text: string): number {
  const bold = { bold: true }
  const words = text.split(' ').map((word) => columnWidth(word, bold))
  const share = (columnWidth(text, bold) / HEAD_LINES) * 1.15
  return Math.max(...words, share) + 2
}

/** So many empty rows. */
export function* emptyRows(rows: number): Generator<RowPlan> {
  for (let row = 0; row < rows; row++) yield { cells: [blank()] }
}

/** Rows of a sheet in the making: each is told the number it will have. */
export class RowList {
  readonly rows: RowPlan[] = []

  add(...made: (RowPlan | ((row: number) => RowPlan))[]): this {
    for (const each of made) this.rows.push(typeof each === 'function' ? each(this.rows.length + 1) : each)
    return this
  }
  /** An empty row, then a title. */
  addSection(words: string): this {
    return this.add({ cells: [] }, { cells: [text(words, section)], height: 18 })
  }
}
