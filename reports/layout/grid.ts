import { quoteSheetName } from '../xlsx/cells.js'

/** Where the cells of a table stand, so that formulas on any sheet can point at them before anything is written. */
export interface Grid<Key extends string> {
  readonly sheet: string
  readonly keys: readonly Key[]
  /** Row of the headers, counted from 1. */
  readonly headerRow: number
  readonly firstRow: number
  /** `firstRow` where the table is empty: a range is never upside down. */
  readonly lastRow: number
  readonly count: number
  letter(key: Key): string
  /** Address within the sheet: `F7`; `index` counts from 0. */
  at(key: Key, index: number): string
  /** Address from any sheet: `'Offers'!$F$7`. */
  cell(key: Key, index: number): string
  /** The bounded column from any sheet: `'Offers'!$F$7:$F$20`. */
  range(key: Key): string
  /** A run of cells in one row, from any sheet. */
  across(from: Key, to: Key, index: number): string
}

/**
 * @param keys the columns in order
 * @param count rows of the table
 */
export function makeGrid<Key extends string>(
  sheet: string,
  keys: readonly Key[],
  headRow: number,
  count: number,
): Grid<Key> {
  const letters = new Map(keys.map((key, index) => [key, columnLetter(index + 1)]))
  const letter = (key: Key) => letters.get(key) as string
  const firstRow = headRow + 1
  const lastRow = headRow + Math.max(1, count)
  const on = quoteSheetName(sheet)
  return {
    sheet,
    keys,
    headerRow: headRow,
    firstRow,
    lastRow,
    count,
    letter,
    at: (key, index) => `${letter(key)}${firstRow + index}`,
    cell: (key, index) => `${on}!$${letter(key)}$${firstRow + index}`,
    range: (key) => `${on}!$${letter(key)}$${firstRow}:$${letter(key)}$${lastRow}`,
    across: (from, to, index) => `${on}!$${letter(from)}$${firstRow + index}:$${letter(to)}$${firstRow + index}`,
  }
}

/** `1` is `A`, `27` is `AA`. */
export function columnLetter(column: number): string {
  const rest = Math.floor((column - 1) / 26)
  return `${rest > 0 ? columnLetter(rest) : ''}${String.fromCharCode(65 + ((column - 1) % 26))}`
}
