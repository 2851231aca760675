/** What a column holds. The kind decides about format, alignment and unit on every surface. */
export type Kind = 'text' | 'id' | 'count' | 'tonnes' | 'price' | 'money' | 'percent' | 'date' | 'moment' | 'state'

/** An amount with its currency. Columns of the kinds price (per tonne) and money have such values. */
export interface Money {
  amount: number
  currency: string | null
}

/** A list of texts is printed with commas; where there is little room, its first one and how many others there are. */
export type Value = string | number | boolean | null | Money | readonly string[]

export interface Column<Row> {
  /** In files, addresses and JSON: camelCase. */
  key: string
  header: string
  kind: Kind
  value: (row: Row) => Value
  /** 9: always shown; 8: also where rows do not differ in it; less: where there is room; 0: only in files and with `--wide`. */
  weight: number
  /** The SQL expression that the list is sorted by; without it, the list cannot be sorted by the column. */
  sort?: string
  /** The path of the page that the cell leads to; null for no link. */
  link?: (row: Row) => string | null
}

/** Something about one thing: a column of a table with one row. */
export interface Fact {
  label: string
  kind: Kind
  value: Value
}

/** An amount, or null if there is none. */
export const money = (amount: number | null | undefined, currency: string | null | undefined): Money | null =>
  amount === null || amount === undefined ? null : { amount, currency: currency ?? null }

export const isMoney = (value: Value): value is Money =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const NUMBERS: ReadonlySet<Kind> = new Set(['count', 'tonnes', 'price', 'money', 'percent'])

/** Whether the values of a kind are numbers, which are aligned right. */
export const isNumeric = (kind: Kind): boolean => NUMBERS.has(kind)

/** A row as the database gives it: a value for each column that is a `field`, by its key. */
// biome-ignore lint/suspicious/noExplicitAny: the members have the types that the database gives them
export type SqlRow = Record<string, any>

/**
 * A column that shows what an SQL expression gives, and is sorted by it.
 * @param sql an expression of the list's query
 */
export const field = (
  key: string,
  header: string,
  kind: Kind,
  weight: number,
  sql: string,
  more: Partial<Pick<Column<SqlRow>, 'value' | 'link'>> = {},
): Column<SqlRow> => ({ key, header, kind, weight, sort: sql, value: (row) => row[key] ?? null, ...more })

/** A column that shows what a function gives. */
export const column = <Row>(
  key: string,
  header: string,
  kind: Kind,
  weight: number,
  value: (row: Row) => Value,
  more: Pick<Column<Row>, 'sort' | 'link'> = {},
): Column<Row> => ({ key, header, kind, weight, value, ...more })
