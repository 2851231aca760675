import type { ComponentChildren } from 'preact'
import { compareNullsLast } from '../../core/numbers.js'
import { type Suggest, unknownValue } from '../http/errors.js'

/** What a cell holds, in a file and for sorting. */
export type CellValue = string | number | boolean | null

export interface Column<Row> {
  /** In the URL and in files: camelCase. */
  key: string
  title: string
  value: (row: Row) => CellValue
  /** What the page shows, if that is not simply the value. */
  cell?: (row: Row) => ComponentChildren
  /** What a `clip` cell shows on hovering, if that is not simply the value. */
  whole?: (row: Row) => string
  align?: 'right'
  /**
   * `line`: never broken, such as dates. `wide`: text that needs room. `clip`: one line, cut off where the room ends, for
   * titles. Default: the browser decides.
   */
  width?: 'line' | 'wide' | 'clip'
  /** Left out on the screen of a phone. */
  isSecondary?: boolean
  /** What to say in place of the column if it is the same for all of several rows: `all are spot`. Null: the row needs its cell. */
  shared?: (row: Row) => string | null
  /** Only in files, because the page shows it in another column. */
  fileOnly?: boolean
  /** Explains the column. */
  hint?: string
  /** Whether a reader can sort by it, where the table can be sorted. Default true. */
  sortable?: boolean
}

/** A table on a page, which can also be downloaded. */
export interface Table<Row> {
  /** In file names and in the URL. */
  name: string
  /** Says what the rows are. */
  caption: string
  columns: readonly Column<Row>[]
  /** Those shown, in their order. */
  rows: readonly Row[]
  /** Every row that matches, in the same order, where `rows` is one page of them. */
  allRows?: readonly Row[]
  /** On the screen of a phone: each cell on a line with its title, or all in few lines. Default: `cells`. */
  narrow?: 'cells' | 'lines'
  /** A row to look at first. */
  isEmphasized?: (row: Row) => boolean
  /** Shown instead of a table without rows: what to do. */
  empty: ComponentChildren
}

/** `due` or `-due`, for descending. */
export interface Sorting {
  key: string
  descending: boolean
}

/** @throws HttpError 400 for a column that the table cannot be sorted by */
export function parseSorting(
  text: string | undefined,
  columns: readonly { key: string; sortable?: boolean }[],
  suggest: Suggest,
): Sorting | null {
  if (text === undefined) return null
  const descending = text.startsWith('-')
  const key = descending ? text.slice(1) : text
  const known = columns.filter(({ sortable }) => sortable !== false).map((column) => column.key)
  if (!known.includes(key)) throw unknownValue('sort', key, known, suggest)
  return { key, descending }
}

/** Sorts rows by a column. Unknown values come last in either direction; equal ones keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorting: Sorting | null,
): readonly Row[] {
  const column = columns.find(({ key }) => key === sorting?.key)
  if (column === undefined || sorting === null) return rows
  const keyed = rows.map((row) => ({ row, value: column.value(row) }))
  keyed.sort((a, b) => compareNullsLast(a.value, b.value, compareValues, sorting.descending))
  return keyed.map(({ row }) => row)
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

function compareValues(a: string | number | boolean, b: string | number | boolean): number {
  if (typeof a === 'string' && typeof b === 'string') return collator.compare(a, b)
  return Number(a) - Number(b)
}
