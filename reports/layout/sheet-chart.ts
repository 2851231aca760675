import type { Chart, ChartRange, ChartSeries } from '../../src/presentation/chart.js'
import { quoteSheetName } from '../xlsx/cells.js'
import { columnLetter } from './grid.js'

/** Corner cells of a chart on a sheet, counted from 0. */
export type ChartAnchor = Readonly<Record<'column' | 'row' | 'toColumn' | 'toRow', number>>

/** A chart and its place on a sheet. */
export type SheetChart = Chart & { anchor: ChartAnchor }

/** A column and a row, counted from 1. */
type Corner = readonly [column: number, row: number]

/** The cells from one corner to another, with their current values. */
export function rangeOf<T>(sheet: string, first: Corner, last: Corner, cached: readonly T[]): ChartRange<T> {
  const corner = ([column, row]: Corner) => `$${columnLetter(column)}$${row}`
  return { ref: `${quoteSheetName(sheet)}!${corner(first)}:${corner(last)}`, cached }
}

/** The ranges of the columns of a table, counted from 1. @param headRow of their headers, which name the series */
export function chartColumns(sheet: string, headRow: number) {
  const range = <T>(column: number, cached: readonly T[], row = headRow + 1) =>
    rangeOf(sheet, [column, row], [column, row + cached.length - 1], cached)
  const series = (column: number, header: string, cached: readonly (number | null)[]): ChartSeries => ({
    name: range(column, [header], headRow),
    values: range(column, cached),
  })
  return { range, series }
}
