import * as style from '../xlsx/cell-styles.js'
import type { Cell } from '../xlsx/cells.js'
import * as cells from '../xlsx/cells.js'
import { NO_FIGURE } from './cell-text.js'
import type { CellGrid } from './grid.js'
import { type Codes, codeList, countryName, yesNo } from './wording.js'

/** One column of a table: its header, width and cells. */
export interface Column<Row> extends ColumnOptions {
  /** Including the unit. */
  header: string
  /** Aligns the header right, as numbers are. */
  alignRight: boolean
  cell: (row: Row, index: number) => Cell
}

export interface ColumnOptions {
  /** Column units. The column is as wide as its content, up to this limit. */
  maxWidth?: number
}

/** The columns of a table by key, or some of them. */
export type Columns<Row, Key extends string> = Readonly<Record<Key, Column<Row>>>

/** Style of the cells of a column; a function where it depends on the row, such as on its currency. */
export type ColumnStyle<Row> = style.Style | ((row: Row) => style.Style)

/** Address of the cell in another column of the same row. */
export type At<Key extends string> = (key: Key) => string

/** A formula and its stored result, from the report model; without a formula, a value. */
type Formula = readonly [expression: string | null, value: number | string | null]

/**
 * The functions that make the columns of a table.
 * @param grid the positions of its columns; needed only for formulas
 */
export function columnsOf<Row, Key extends string = never>(grid?: CellGrid<Key>) {
  const column = (
    header: string,
    cellStyle: ColumnStyle<Row>,
    cell: (row: Row, style: style.Style, index: number) => Cell,
    options: ColumnOptions,
  ): Column<Row> => {
    const styleOf = typeof cellStyle === 'function' ? cellStyle : () => cellStyle
    const alignRight = typeof cellStyle === 'function' || cellStyle.alignment?.horizontal === 'right'
    return { header, alignRight, ...options, cell: (row, index) => cell(row, styleOf(row), index) }
  }
  const at =
    (index: number): At<Key> =>
    (key) =>
      (grid as CellGrid<Key>).at(key, index)
  /** Columns of values in one style, unless stated. */
  const values =
    <Value>(cellStyle: style.Style, cell: (value: Value, style: style.Style) => Cell) =>
    (header: string, value: (row: Row) => Value, options: ColumnOptions = {}): Column<Row> =>
      column(header, cellStyle, (row, its) => cell(value(row), its), options)
  return {
    /** Text from outside or of our own. */
    text: (
      header: string,
      value: (row: Row) => unknown,
      options: ColumnOptions & { style?: style.Style } = {},
    ): Column<Row> => {
      const { style: cellStyle = style.wrapped, ...others } = options
      return column(header, cellStyle, (row, its) => cells.text(value(row), its), others)
    },
    /** Codes in words, one or several. */
    codes: (header: string, value: (row: Row) => Codes, options: ColumnOptions = {}): Column<Row> =>
      values(style.wrapped, cells.text)(header, (row) => codeList(value(row)), options),
    /** Countries by name. */
    country: values<string | null>(style.wrapped, (code, its) => cells.text(countryName(code), its)),
    /** Numbers; empty where there is none. */
    number: (
      header: string,
      value: (row: Row, index: number) => number | null | undefined,
      cellStyle: ColumnStyle<Row> = style.plainNumber,
      options: ColumnOptions = {},
    ) => column(header, cellStyle, (row, its, index) => cells.number(value(row, index), its), options),
    /** Figures; “–” where one is not determinable. */
    figure: (header: string, value: (row: Row) => number | null, cellStyle: ColumnStyle<Row>) =>
      column(header, cellStyle, (row, its) => cells.number(value(row), its, NO_FIGURE), {}),
    /** Formulas with their stored results; “–” where there is none. `at` gives the address of a cell in the same row. */
    formula: (
      header: string,
      cellStyle: ColumnStyle<Row>,
      make: (row: Row, at: At<Key>, index: number) => Formula,
    ): Column<Row> =>
      column(
        header,
        cellStyle,
        (row, its, index) => {
          const [expression, value] = make(row, at(index), index)
          if (value === null || (typeof value === 'number' && !Number.isFinite(value)))
            return cells.text(NO_FIGURE, its)
          if (expression !== null) return cells.formula(expression, value, its)
          return typeof value === 'number' ? cells.number(value, its) : cells.text(value, its)
        },
        {},
      ),
    /** Dates `YYYY-MM-DD`. */
    date: values<string | null>(style.calendarDate, cells.date),
    /** Times, ISO 8601. */
    moment: values<string | null>(style.timestamp, cells.moment),
    /** `yes`, `no` or `unknown`. */
    yesNo: values<boolean | null>(style.centred, (value, its) => cells.text(yesNo(value), its)),
    /** Any other cells; the header is aligned like cells in that style. */
    cells: (
      header: string,
      cell: (row: Row, index: number) => Cell,
      options: ColumnOptions & { style?: style.Style } = {},
    ) => {
      const { style: cellStyle = style.body, ...others } = options
      return column(header, cellStyle, (row, _, index) => cell(row, index), others)
    },
  }
}
