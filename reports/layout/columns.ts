import * as style from '../xlsx/cell-styles.js'
import type { Cell } from '../xlsx/cells.js'
import * as cells from '../xlsx/cells.js'
import { referenceTo } from './cell-text.js'
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
  /** Column units. The column is as wide as its content, within these limits. */
  minWidth?: number
  maxWidth?: number
  /** Starts a band with this title above the headers; it covers the columns up to the next band. */
  band?: string
}

/** The columns of a table by key, or some of them. */
export type Columns<Row, Key extends string> = Readonly<Record<Key, Column<Row>>>

/** A column with formulas that refer to the cells of another one, wherever it is; `otherwise` is the result without a value. */
export const referringColumn = <Row>(
  column: Column<Row>,
  expression: (row: Row, index: number) => string,
  {
    header = column.header,
    style: cellStyle,
    otherwise = '',
  }: { header?: string; style?: style.Style; otherwise?: string } = {},
): Column<Row> => ({
  ...column,
  header,
  cell: (row, index) => {
    const cell = column.cell(row, index)
    return referenceTo({ ...cell, style: cellStyle ?? cell.style }, expression(row, index), otherwise)
  },
})

/** Style of the cells of a column; a function where it depends on the row, such as on its currency. */
export type ColumnStyle<Row> = style.Style | ((row: Row) => style.Style)

/** Address of the cell in another column of the same row. */
export type At<Key extends string> = (key: Key) => string

/** A formula and its stored result, from the report model; null is #N/A. */
type Formula = readonly [expression: string, cached: cells.CachedResult]

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
  /** Columns of formulas with their stored results; `at` gives the address of a cell in the same row. */
  type MakeFormula = (row: Row, at: At<Key>, index: number) => Formula
  const formulas =
    (cell: typeof cells.formula) =>
    (header: string, cellStyle: ColumnStyle<Row>, make: MakeFormula, options: ColumnOptions = {}): Column<Row> =>
      column(header, cellStyle, (row, its, index) => cell(...make(row, at(index), index), its), options)
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
    /** Dates `YYYY-MM-DD`. */
    date: values<string | null>(style.calendarDate, cells.date),
    /** Times, ISO 8601. */
    moment: values<string | null>(style.timestamp, cells.moment),
    /** `yes`, `no` or `unknown`. */
    yesNo: values<boolean | null>(style.centred, (value, its) => cells.text(yesNo(value), its)),
    formula: formulas(cells.formula),
    /** Formulas, only where there is a result; other cells are empty. */
    formulaOrEmpty: formulas((expression, cached, its) =>
      cached === null ? cells.blank(its) : cells.formula(expression, cached, its),
    ),
    /**
     * Days from the as-of date to the date in another column. A date before 1900 is text to a spreadsheet: its days are a
     * constant.
     */
    days: (
      header: string,
      key: Key,
      value: (row: Row) => readonly [day: string | null, days: number | null],
      options: ColumnOptions = {},
    ) => {
      const cell = (row: Row, its: style.Style, index: number) => {
        const [day, days] = value(row)
        return cells.dateSerial(day) === null
          ? cells.number(days, its)
          : cells.formula(`${at(index)(key)}-AsOfDate`, days, its)
      }
      return column(header, style.plainNumber, cell, options)
    },
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
