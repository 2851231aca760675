import { cleanText, INVISIBLE } from '../../core/text/clean-text.js'
import type { Column } from '../column.js'
import { type Json, jsonRow, jsonSchema } from './json.js'

/** Byte order mark, so that spreadsheets read the file as UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF'
/**
 * How text begins that a spreadsheet could run as a formula or command (OWASP, CSV injection). Some programs skip white space and
 * characters that are not shown, such as U+200B or the Braille blank, before they look for a formula.
 */
const FORMULA_START = new RegExp(`^[\\s${INVISIBLE}\\u2800]*(?:[=+\\-@|%\uFF0B\uFF0D\uFF1D\uFF20]|\\p{Cc})`, 'u')

/**
 * A list as CSV (RFC 4180, CRLF, UTF-8 with a byte order mark): all columns, whatever their weight, as in `jsonRow`. Lists of texts are
 * joined with commas, and unknown values are empty.
 */
export function printCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [Object.keys(jsonSchema(columns).shape), ...rows.map((row) => Object.values(jsonRow(columns, row)))]
  return `${BYTE_ORDER_MARK}${lines.map((values) => `${values.map(csvField).join(',')}\r\n`).join('')}`
}

const csvField = (value: Json): string =>
  typeof value === 'number' ? String(value) : csvText(cleanText(Array.isArray(value) ? value.join(', ') : value))

/** A text as a field. A line break becomes ` | `; what a spreadsheet could run as a formula is prefixed with an apostrophe. */
export function csvText(text: string): string {
  // White space is searched from its start only, so that a long run of it takes linear time.
  const line = text.replace(/(?<!\s)\s*\n\s*/g, ' | ')
  const safeText = FORMULA_START.test(line) ? `'${line}` : line
  return /[",\r\n']|^\s|\s$/.test(safeText) ? `"${safeText.replaceAll('"', '""')}"` : safeText
}
