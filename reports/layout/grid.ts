import { quoteSheetName } from '../xlsx/cells.js'

/** Addresses of the cells of a table, so that formulas on any sheet can refer to them before it is written. */
export interface Grid<Key extends string> {
  readonly sheet: string
  readonly keys: readonly Key[]
  /** Header row, counted from 1. */
  readonly headerRow: number
  readonly firstRow: number
  /** At least `firstRow`, so that ranges are valid even if the table is empty. */
  readonly lastRow: number
  readonly count: number
  letter(key: Key): string
  /** Address on its own sheet, such as `F7`; `index` is counted from 0. */
  at(key: Key, index: number): string
  /** Address for use on any sheet, such as `'Offers'!$F$7`. */
  cell(key: Key, index: number): string
  /** All cells of a column, for use on any sheet, such as `'Offers'!$F$7:$F$20`. */
  range(key: Key): string
  /** All cells of a column, or of columns from one to another, on its own sheet, such as `F7:F20`. */
  area(from: Key, to?: Key): string
  /** Adjacent cells of one row, for use on any sheet. */
  across(from: Key, to: Key, index: number): string
}

/**
 * @param keys the columns, in order
 * @param count number of rows
 * @param firstColumn counted from 1
 */
export function makeGrid<Key extends string>(
  sheet: string,
  keys: readonly Key[],
  headRow: number,
  count: number,
  firstColumn = 1,
): Grid<Key> {
  const letters = new Map(keys.map((key, index) => [key, columnLetter(index + firstColumn)]))
  const letter = (key: Key) => letters.get(key) as string
  const firstRow = headRow + 1
  const lastRow = headRow + Math.max(1, count)
  const sheetRef = quoteSheetName(sheet)
  return {
    sheet,
    keys,
    headerRow: headRow,
    firstRow,
    lastRow,
    count,
    letter,
    at: (key, index) => `${letter(key)}${firstRow + index}`,
    cell: (key, index) => `${sheetRef}!$${letter(key)}$${firstRow + index}`,
    range: (key) => `${sheetRef}!$${letter(key)}$${firstRow}:$${letter(key)}$${lastRow}`,
    area: (from, to = from) => `${letter(from)}${firstRow}:${letter(to)}${lastRow}`,
    across: (from, to, index) => `${sheetRef}!$${letter(from)}$${firstRow + index}:$${letter(to)}$${firstRow + index}`,
  }
}

/** The letters of a column counted from 1: `1` is `A`, `27` is `AA`. */
export function columnLetter(column: number): string {
  const rest = Math.floor((column - 1) / 26)
  return `${rest > 0 ? columnLetter(rest) : ''}${String.fromCharCode(65 + ((column - 1) % 26))}`
}

/** The index of a column, counted from 0: `A` is 0, `AA` is 26. */
export const columnIndex = (letters: string): number =>
  [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1

/** The words of a text, as a type. */
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text

/**
 * The keys of a table's columns in order, from words: `keys('offer due', 'total')` is `['offer', 'due', 'total']`, with
 * a type that allows no others.
 */
export const keys = <Text extends string>(...lines: readonly Text[]): readonly Words<Text>[] =>
  lines.flatMap((line) => line.split(' ') as Words<Text>[])
