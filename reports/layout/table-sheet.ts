import * as style from '../xlsx/cell-styles.js'
import type { Cell } from '../xlsx/cells.js'
import { cellText, isNumberOrDate } from './cell-text.js'
import type { Column, Columns } from './columns.js'
import { columnIndex, columnLetter, type Grid, makeGrid } from './grid.js'
import type { Mark } from './marks.js'
import { emptyRows, headingRows, headRow, right, textRow } from './rows.js'
import type { RowPlan, SheetPlan } from './sheet-plan.js'
import { columnWidth, MIN_COLUMN_UNITS } from './text-metrics.js'

/** A sheet with one table. */
interface TablePlan<Row, Key extends string> {
  /** Positions of the columns, if formulas refer to them; otherwise the name of the sheet. */
  grid: Grid<Key> | string
  title: string
  /** How to read the sheet. */
  note: string
  columns: Columns<Row, Key>
  rows: readonly Row[]
  /** Shown if there are no rows. */
  emptyText?: string
  /** Number of columns that stay in view when the reader scrolls and are repeated on each page. */
  frozenColumns: number
  /** The last column that is printed, if not all are. */
  lastPrinted?: NoInfer<Key>
  marks?: (grid: Grid<Key>) => readonly Mark[]
}

/** Row of the headers on every sheet made by `tableSheet`. */
export const HEADER_ROW = 5
const DEFAULT_MAX_COLUMN_UNITS = 32
const MAX_HEADER_LINES = 3

/** A sheet with one table: heading, frozen headers with filters, and columns as wide as their content. */
export function tableSheet<Row, Key extends string>(report: { subject: string }, plan: TablePlan<Row, Key>): SheetPlan {
  const grid =
    typeof plan.grid === 'string'
      ? makeGrid(plan.grid, Object.keys(plan.columns) as Key[], HEADER_ROW, plan.rows.length)
      : plan.grid
  const columns = orderedColumns(grid, plan.columns)
  const { frozenColumns, marks } = plan
  return {
    name: grid.sheet,
    widths: () => columnWidths(columns, plan.rows),
    columns: columns.length,
    rows: () => sheetRows(headingRows(report, plan.title, plan.note), plan, columns),
    frozen: { rows: grid.headerRow, columns: frozenColumns },
    filter: `A${grid.headerRow}:${columnLetter(columns.length)}${grid.lastRow}`,
    ...(marks && { marks: marks(grid) }),
    print: {
      titleRows: [grid.headerRow, grid.headerRow],
      titleColumns: `A:${columnLetter(frozenColumns)}`,
      firstRowIfWide: grid.headerRow - 1,
      ...(plan.lastPrinted && { columns: columnIndex(grid.letter(plan.lastPrinted)) + 1 }),
    },
  }
}

function* sheetRows<Row, Key extends string>(
  heading: readonly RowPlan[],
  { rows, emptyText }: TablePlan<Row, Key>,
  columns: readonly Column<Row>[],
): Generator<RowPlan> {
  yield* heading
  yield* emptyRows(1)
  yield* tableRows(columns, rows)
  if (rows.length === 0 && emptyText !== undefined) yield textRow(emptyText, style.hint)
}

/** The header and rows of a table within a sheet of rows. */
export function* tableRows<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Generator<RowPlan> {
  yield headRow(...columns.map(({ header, alignRight }) => (alignRight ? right(header) : header)))
  for (const [index, row] of rows.entries()) yield { cells: columns.map((column) => column.cell(row, index)) }
}

/** The columns of a table in the order of its grid. */
export const orderedColumns = <Row, Key extends string>(grid: Grid<Key>, columns: Columns<Row, Key>): Column<Row>[] =>
  grid.keys.map((key) => columns[key])

/** Rows measured before the generator yields. */
const ROWS_PER_STEP = 200

/** Ignores `maxWidth` for numbers and dates, which do not wrap and would show as ####. */
function* columnWidths<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Generator<void, number[]> {
  const headerWidths = columns.map(({ header }) => headerWidth(header))
  const widths = headerWidths.map((width) => Math.max(MIN_COLUMN_UNITS, width))
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

const cellWidth = (cell: Cell) => columnWidth(cellText(cell), style.fontOptions(cell.style))

/** A header may take three lines, but no word is broken. Includes room for the filter button. */
function headerWidth(header: string): number {
  const bold = { bold: true }
  const words = header.split(' ').map((word) => columnWidth(word, bold))
  const share = (columnWidth(header, bold) / MAX_HEADER_LINES) * 1.15
  return Math.max(...words, share) + 2
}

/**
 * A sheet of rows in columns of at least these widths, wide enough for every number and date; text may wrap or overflow.
 */
export const rowSheet = ({
  widths,
  ...plan
}: Omit<SheetPlan, 'widths' | 'columns'> & { widths: readonly number[] }): SheetPlan => ({
  ...plan,
  widths: () => widenForNumbers(widths, plan.rows()),
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
