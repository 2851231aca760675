import { cleanText, INVISIBLE } from '../../core/text/clean-text.js'
import { formatDecimal } from '../../core/text/number-format.js'
import type { Column } from '../column.js'
import { jsonRow, jsonSchema } from './json.js'

/** One field, before it is written. */
type CsvValue = string | number | Date | null

/** Byte order mark, so that spreadsheets read the file as UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF'
/**
 * How text begins that a spreadsheet could run as a formula or command (OWASP, CSV injection). Some programs skip white space and
 * characters that are not shown, such as U+200B or the Braille blank, before they look for a formula.
 */
const FORMULA_START = new RegExp(`^[\\s${INVISIBLE}\\u2800]*(?:[=+\\-@|%\uFF0B\uFF0D\uFF1D\uFF20]|\\p{Cc})`, 'u')

/** Whether a spreadsheet could run a text as a formula or command. */
const isFormulaLike = (text: string): boolean => FORMULA_START.test(text)

/**
 * Renders a table as CSV (RFC 4180, CRLF, UTF-8 with a byte order mark) with texts in full.
 * Dates are `YYYY-MM-DD`, times ISO 8601, percentages fractions, numbers have 15 digits, and unknown values are empty. A
 * line break within a text becomes ` | `. Text that a spreadsheet could run as a formula is prefixed with an apostrophe.
 * @param rows the first one holds the names of the columns
 */
export function renderCsv(rows: Iterable<readonly CsvValue[]>): string {
  const lines = Array.from(rows, (values) => `${values.map(csvField).join(',')}\r\n`)
  return `${BYTE_ORDER_MARK}${lines.join('')}`
}

function csvField(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value === 'number') return formatDecimal(value)
  return value instanceof Date ? dateField(value) : textField(value)
}

function dateField(date: Date): string {
  const text = date.toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text
}

function textField(text: string): string {
  // White space is searched from its start only, so that a long run of it takes linear time.
  const line = text.replace(/(?<!\s)\s*\n\s*/g, ' | ')
  const safeText = isFormulaLike(line) ? `'${line}` : line
  return /[",\r\n']|^\s|\s$/.test(safeText) ? `"${safeText.replaceAll('"', '""')}"` : safeText
}

/**
 * A list as CSV: all columns, whatever their weight, as in `jsonRow`. Lists of texts are joined with commas.
 * @param columns in their order
 */
export function printCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const names = Object.keys(jsonSchema(columns).shape)
  const lines = rows.map((row) => {
    const values = jsonRow(columns, row)
    return names.map((name) => csvValue(values[name] ?? null))
  })
  return renderCsv([names, ...lines])
}

function csvValue(value: string | number | boolean | null | readonly string[]): string | number | null {
  if (Array.isArray(value)) return cleanText(value.join(', ')) || null
  if (typeof value === 'boolean') return String(value)
  return typeof value === 'string' ? cleanText(value) : (value as number | null)
}
