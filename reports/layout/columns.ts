import { formatAmount } from '../../src/core/text/number-format.js'
import * as style from '../xlsx/cell-styles.js'
import type { Cell } from '../xlsx/cells.js'
import * as cells from '../xlsx/cells.js'
import { type Codes, codeList, countryName, yesNo } from './wording.js'

/** Where a cell is written: the index of its row, and the addresses of others in the same row by the key of their column. */
interface Place {
  index: number
  at: (key: string) => string
}

/** One column of a table: its header, width and cells. */
export interface Column<Row> extends ColumnOptions {
  /** Including the unit. */
  header: string
  /** Aligns the header right, as numbers are. */
  right: boolean
  cell: (row: Row, place: Place) => Cell
}

interface ColumnOptions {
  /** Column units. The column is as wide as its content, up to this limit. */
  maxWidth?: number
}

/** The columns of a table in order, by key. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>

/** Style of the cells of a column; a function where it depends on the row, such as on its currency. */
type ColumnStyle<Row> = style.Style | ((row: Row) => style.Style)

/** A formula and its stored result, from the report model; without a formula, a value. */
type Formula = readonly [expression: string | null, value: number | null]

/** The functions that make the columns of a table. */
export function columnsOf<Row>() {
  const column = (
    header: string,
    own: ColumnStyle<Row>,
    cell: (row: Row, style: style.Style, place: Place) => Cell,
    options: ColumnOptions = {},
  ): Column<Row> => {
    const styleOf = typeof own === 'function' ? own : () => own
    const right = typeof own === 'function' || own.alignment?.horizontal === 'right'
    return { header, right, ...options, cell: (row, place) => cell(row, styleOf(row), place) }
  }
  /** Columns of values in one style, unless stated. */
  const values =
    <Value>(usual: style.Style, cell: (value: Value, style: style.Style) => Cell) =>
    (header: string, value: (row: Row) => Value, options: ColumnOptions & { style?: ColumnStyle<Row> } = {}) => ({
      ...column(header, options.style ?? usual, (row, its) => cell(value(row), its), options),
      right: false,
    })
  return {
    /** Text from outside or of our own. */
    text: values<unknown>(style.wrapped, cells.text),
    /** Codes in words, one or several. */
    codes: values<Codes>(style.wrapped, (value, its) => cells.text(codeList(value), its)),
    /** Countries by name. */
    country: values<string | null>(style.wrapped, (code, its) => cells.text(countryName(code), its)),
    /** Dates `YYYY-MM-DD`. */
    date: values<string | null>(style.calendarDate, cells.date),
    /** Times, ISO 8601. */
    moment: values<string | null>(style.timestamp, cells.moment),
    /** `yes`, `no` or `unknown`. */
    yesNo: values<boolean | null>(style.centred, (value, its) => cells.text(yesNo(value), its)),
    /** Numbers; empty where there is none. */
    number: (
      header: string,
      value: (row: Row) => number | null | undefined,
      own: ColumnStyle<Row> = style.plainNumber,
    ) => column(header, own, (row, its) => cells.number(value(row), its)),
    /** Figures; “–” where one is not determinable. */
    figure: (header: string, value: (row: Row) => number | null, own: ColumnStyle<Row>) =>
      column(header, own, (row, its) => cells.number(value(row), its, cells.NO_FIGURE)),
    /** Formulas with their stored results; “–” where there is none. */
    formula: (header: string, own: ColumnStyle<Row>, make: (row: Row, at: Place['at']) => Formula) =>
      column(header, own, (row, its, { at }) => {
        const [expression, value] = make(row, at)
        if (expression === null || value === null) return cells.number(value, its, cells.NO_FIGURE)
        return cells.formula(expression, value, its)
      }),
    /** Any other cells. */
    cells: (header: string, cell: (row: Row) => Cell, own: style.Style = style.body) => column(header, own, cell),
  }
}

const MIN_COLUMN_UNITS = 8
const MAX_COLUMN_UNITS = 32
const MAX_HEADER_LINES = 3

/** Widths of the columns of a table: as wide as their content, since a number or date that is wider shows as ####. */
export function widthsOf<Row>(columns: Columns<Row>, rows: readonly Row[]): number[] {
  const at = () => 'A1'
  return Object.values(columns).map(({ header, maxWidth = MAX_COLUMN_UNITS, cell }) => {
    let width = Math.max(MIN_COLUMN_UNITS, headerUnits(header))
    for (const [index, row] of rows.entries()) {
      const shown = cell(row, { index, at })
      const units = unitsOf(shown)
      width = Math.max(width, typeof shown.value === 'string' ? Math.min(units, maxWidth) : units)
    }
    return width
  })
}

/** A header may take three lines, but no word is broken. Includes room for the filter button. */
const headerUnits = (header: string): number =>
  Math.max(...header.split(' ').map((word) => word.length), header.length / MAX_HEADER_LINES) * 1.1 + 4

/** The width of a cell that shows its longest line; a little more than is needed. */
function unitsOf({ value, style: { numFmt = '' } }: Cell): number {
  if (value === null) return 0
  if (value instanceof Date) return numFmt.length + 1
  if (typeof value === 'string') return Math.max(...value.split('\n').map((line) => line.length)) * 1.05 + 1.5
  if (numFmt.includes('E+')) return 10
  const decimals = /\.(0+)/.exec(numFmt)?.[1]?.length ?? 0
  return formatAmount(Math.trunc(value)).length + decimals + (numFmt.includes('[$') ? 6 : 2)
}
