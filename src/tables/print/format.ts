import stringWidth from 'string-width'
import { cleanLine } from '../../core/text/clean-text.js'
import {
  formatAmount,
  formatExactPrice,
  formatPercent,
  formatPrice,
  formatTotal,
  withoutNoise,
} from '../../core/text/number-format.js'
import { formatMinute } from '../../core/time/clock.js'
import { type Column, type Fact, isMoney, type Kind, type Money, type Value } from '../column.js'

/** A column as it is printed, with the text of each row. */
export interface PrintedColumn<Row> {
  column: Column<Row>
  /** With the unit that all values share: `Price, USD/t`. */
  header: string
  cells: string[]
}

/** What the choice of columns goes by. */
interface Shown {
  column: Pick<Column<never>, 'kind' | 'weight'>
  cells: readonly string[]
}

const UNITS: Partial<Record<Kind, string>> = { tonnes: 't' }

/** How values are printed. */
interface Format {
  /** Default true. */
  withCurrency?: boolean
  /** All digits of a price, in the details of an offer. Default: two decimals. */
  isExact?: boolean
}

/** The columns of a table for reading, with texts in the format of their kinds; the currency that all rows share is in the header. */
export function printColumns<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { isExact = false }: Pick<Format, 'isExact'> = {},
): PrintedColumn<Row>[] {
  return columns.map((column) => {
    const values = rows.map(column.value)
    const currency = sharedCurrency(values)
    const unit = currency === null ? UNITS[column.kind] : `${currency}${column.kind === 'price' ? '/t' : ''}`
    return {
      column,
      header: unit === undefined ? column.header : `${column.header}, ${unit}`,
      cells: values.map((value) => formatValue(column.kind, value, { withCurrency: currency === null, isExact })),
    }
  })
}

/** A column of less weight is left out where its cells are all equal, in two rows or more. */
const TELLING_WEIGHT = 8

/** Whether a column says something about these rows: it has cells, and tells rows apart or is important. */
export const isTelling = ({ column: { weight }, cells }: Shown): boolean =>
  weight > 0 &&
  cells.some((cell) => cell !== '') &&
  (weight >= TELLING_WEIGHT || cells.length < 2 || cells.some((cell) => cell !== cells[0]))

/** Texts with a full stop or a semicolon are sentences from the first width on, others from the second one. */
const SENTENCE_WIDTHS = [24, 88] as const
const END_OF_CLAUSE = /[.;]( |$)/

/** Whether most cells of a text column are sentences, which are read on lines of their own rather than cut. */
export function isProse({ column: { kind }, cells }: Shown): boolean {
  const texts = cells.filter((cell) => cell !== '')
  const sentences = texts.filter((cell) => stringWidth(cell) > SENTENCE_WIDTHS[END_OF_CLAUSE.test(cell) ? 0 : 1])
  return kind === 'text' && sentences.length > texts.length / 2
}

/** The weight of columns that are never hidden, and never cut. */
export const MAX_WEIGHT = 9

/** Hides the last of the columns with the lowest weight, one after the other, until the others fit. */
export function fitColumns<Each extends Shown>(
  columns: readonly Each[],
  isFitting: (columns: readonly Each[], lowestWeight: number) => boolean,
): readonly Each[] {
  const lowest = Math.min(...columns.map(({ column }) => column.weight))
  if (lowest >= MAX_WEIGHT || isFitting(columns, lowest)) return columns
  const hidden = columns.findLast(({ column }) => column.weight === lowest)
  return fitColumns(
    columns.filter((each) => each !== hidden),
    isFitting,
  )
}

function sharedCurrency(values: readonly Value[]): string | null {
  const currencies = new Set(values.flatMap((value) => (isMoney(value) ? [value.currency] : [])))
  const [only = null] = currencies
  return currencies.size === 1 ? plain(only) || null : null
}

/** A value in the format of its kind; empty if there is none. */
export function formatValue(kind: Kind, value: Value, format: Format = {}): string {
  if (value === null) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return kind === 'state' ? value.map(plain).join(', ') : firstOf(value)
  if (isMoney(value)) return formatMoneyOf(kind, value, format)
  if (typeof value === 'number') return formatNumberOf(kind, value)
  return kind === 'moment' ? formatMinute(String(value)) : plain(String(value))
}

/** A fact: with its unit, all of several texts, and all digits of a price. */
export function formatFact({ kind, value }: Pick<Fact, 'kind' | 'value'>): string {
  if (Array.isArray(value)) return value.map(plain).join(', ')
  const text = formatValue(kind, value, { isExact: true })
  return text === '' || UNITS[kind] === undefined ? text : `${text} ${UNITS[kind]}`
}

const plain = (text: string | null): string => cleanLine(text ?? '')

function firstOf([first, ...others]: readonly string[]): string {
  if (first === undefined) return ''
  return others.length === 0 ? plain(first) : `${plain(first)} and ${others.length} more`
}

function formatMoneyOf(kind: Kind, { amount, currency }: Money, { withCurrency = true, isExact }: Format): string {
  const formatOne = isExact ? formatExactPrice : formatPrice
  const text = kind === 'price' ? formatOne(amount) : formatTotal(amount, null)
  return withCurrency && currency !== null ? `${text} ${plain(currency)}${kind === 'price' ? '/t' : ''}` : text
}

function formatNumberOf(kind: Kind, value: number): string {
  if (kind === 'percent') return formatPercent(value)
  if (kind === 'price') return formatPrice(value)
  return kind === 'id' || kind === 'text' ? String(withoutNoise(value)) : formatAmount(value)
}
