import { quoteSheetName } from '../xlsx/cells.js'

/** Addresses of the cells of a table, so that formulas on any sheet can refer to them before it is written. */
export type Grid<Key extends string> = ReturnType<typeof makeGrid<Key>>

/**
 * @param keys the columns, in order
 * @param headerRow counted from 1
 * @param count number of rows
 */
export function makeGrid<Key extends string>(sheet: string, keys: readonly Key[], headerRow: number, count: number) {
  const letters = new Map(keys.map((key, index) => [key, columnLetter(index + 1)]))
  const letter = (key: Key) => letters.get(key) as string
  const firstRow = headerRow + 1
  // At least `firstRow`, so that ranges are valid even if the table is empty.
  const lastRow = headerRow + Math.max(1, count)
  const sheetRef = quoteSheetName(sheet)
  return {
    sheet,
    keys,
    headerRow,
    lastRow,
    letter,
    /** Address on its own sheet, such as `F7`; `index` is counted from 0. */
    at: (key: Key, index: number) => `${letter(key)}${firstRow + index}`,
    /** All cells of a column, for use on any sheet, such as `'Offers'!$F$7:$F$20`. */
    range: (key: Key) => `${sheetRef}!$${letter(key)}$${firstRow}:$${letter(key)}$${lastRow}`,
    /** All cells of a column, or of columns from one to another, on its own sheet, such as `F7:F20`. */
    area: (from: Key, to = from) => `${letter(from)}${firstRow}:${letter(to)}${lastRow}`,
  }
}

/** The part of a grid by which formulas and marks refer to cells, whether records are rows or columns. */
export type CellGrid<Key extends string> = Pick<Grid<Key>, 'sheet' | 'at' | 'area'>

/** Columns before those of the records: names of the attributes, and the best value. */
export const ATTRIBUTE_COLUMNS = 2

/**
 * As `makeGrid`, of a table in which each record is a column and each attribute a row, in groups with a title above each.
 * @param headerRow counted from 1
 */
export function attributeGrid<Key extends string>(
  sheet: string,
  groups: readonly { keys: readonly Key[] }[],
  headerRow: number,
  count: number,
): CellGrid<Key> {
  const rows = new Map<Key, number>()
  let row = headerRow
  for (const group of groups) {
    row++
    for (const key of group.keys) rows.set(key, ++row)
  }
  const [first, last] = [columnLetter(ATTRIBUTE_COLUMNS + 1), columnLetter(ATTRIBUTE_COLUMNS + Math.max(1, count))]
  const rowOf = (key: Key) => rows.get(key) as number
  const letterAt = (index: number) => columnLetter(ATTRIBUTE_COLUMNS + 1 + index)
  return {
    sheet,
    at: (key, index) => `${letterAt(index)}${rowOf(key)}`,
    area: (from, to = from) => `${first}${rowOf(from)}:${last}${rowOf(to)}`,
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
