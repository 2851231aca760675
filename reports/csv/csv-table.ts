import { formatDecimal } from '../../src/domain/comparison/number-format.js'
import { INVISIBLE } from '../../src/domain/invisible-characters.js'
import { cellContent } from '../layout/cell-text.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { HEADER_ROW } from '../layout/table-sheet.js'

/** Byte order mark, so that spreadsheets read the file as UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF'
/**
 * Text that a spreadsheet could run as a formula or command (OWASP, CSV injection). Some programs skip white space and
 * characters that are not shown, such as U+200B or the Braille blank, before they look for a formula.
 */
const FORMULA_START = new RegExp(`^[\\s${INVISIBLE}\\u2800]*(?:[=+\\-@|%\uFF0B\uFF0D\uFF1D\uFF20]|\\p{Cc})`, 'u')

/**
 * Renders a table as CSV (RFC 4180, CRLF, UTF-8 with a byte order mark) from the same cells as the workbook. Dates are
 * `YYYY-MM-DD`, times ISO 8601, percentages fractions, numbers have 15 digits, and unknown values are empty. Text that a
 * spreadsheet could run as a formula is prefixed with an apostrophe.
 * @param sheet a plan made by `tableSheet`
 */
export function renderCsv(sheet: SheetPlan): string {
  const lines: string[] = []
  let row = 0
  for (const plan of sheet.rows()) if (++row >= HEADER_ROW) lines.push(csvLine(plan, sheet.columns))
  return `${BYTE_ORDER_MARK}${lines.join('\r\n')}\r\n`
}

function csvLine({ cells }: RowPlan, columns: number): string {
  return Array.from({ length: columns }, (_, index) => csvField(cellContent(cells[index]))).join(',')
}

function csvField(value: ReturnType<typeof cellContent>): string {
  if (value === null) return ''
  if (typeof value === 'number') return formatDecimal(value)
  return value instanceof Date ? dateField(value) : textField(value)
}

function dateField(date: Date): string {
  const text = date.toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text
}

function textField(text: string): string {
  const safeText = FORMULA_START.test(text) ? `'${text}` : text
  return /[",\r\n']|^\s|\s$/.test(safeText) ? `"${safeText.replaceAll('"', '""')}"` : safeText
}
