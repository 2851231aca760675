import { formatAmount } from '../../src/core/text/number-format.js'
import type { Cell } from '../xlsx/cells.js'

/** Where a cell is written: the index of its row, and the addresses of others in the same row by the key of their column. */
interface Place {
  index: number
  at: (key: string) => string
}

/** One column of a table: its header, width and cells. */
export interface Column<Row> {
  /** Including the unit. */
  header: string
  /** Aligns the header right, as numbers are. */
  right: boolean
  cell: (row: Row, place: Place) => Cell
  /** Column units. The column is as wide as its content, up to this limit. */
  maxWidth?: number
}

/** The columns of a table in order, by key. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>

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
  return formatAmount(Math.trunc(value)).length + decimals + (numFmt.includes('[$') ? 8 : 3)
}
