import type { ComponentChildren } from 'preact'

/** What a cell holds, in a file and for sorting. */
export type CellValue = string | number | boolean | null

export interface Column<Row> {
  /** In the URL and in files: camelCase, a promise (docs/WEB.md). */
  key: string
  title: string
  value: (row: Row) => CellValue
  /** What the page shows, if that is not simply the value. */
  cell?: (row: Row) => ComponentChildren
  align?: 'right'
  /** `line`: never broken, such as dates. `wide`: text that needs room. Default: as the browser likes. */
  width?: 'line' | 'wide'
  /** Only in files, because the page shows it in another column. */
  fileOnly?: boolean
  /** Explains the column. */
  hint?: string
  /** Whether a reader can sort by it. Default true. */
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
  /** Shown instead of a table without rows: what to do. */
  empty: ComponentChildren
}

/** `due` or `-due`, for descending. */
export interface Sorting {
  key: string
  descending: boolean
}

export function parseSorting(
  text: string | undefined,
  columns: readonly { key: string; sortable?: boolean }[],
): Sorting | null {
  const [, minus, key = ''] = /^(-?)(.+)$/.exec(text ?? '') ?? []
  const known = columns.some((column) => column.key === key && column.sortable !== false)
  return known ? { key, descending: minus === '-' } : null
}

/** Sorts rows by a column; unknown values come last, whatever the direction, and equal ones keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorting: Sorting | null,
): readonly Row[] {
  const column = columns.find(({ key }) => key === sorting?.key)
  if (column === undefined || sorting === null) return rows
  const sign = sorting.descending ? -1 : 1
  const keyed = rows.map((row) => ({ row, value: column.value(row) }))
  keyed.sort((a, b) => {
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null)
    return sign * compareValues(a.value, b.value)
  })
  return keyed.map(({ row }) => row)
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

function compareValues(a: string | number | boolean, b: string | number | boolean): number {
  if (typeof a === 'string' && typeof b === 'string') return collator.compare(a, b)
  return Number(a) - Number(b)
}
