import { formatDecimal } from '../../src/domain/comparison/number-format.js'
import { cellContent } from '../layout/cell-text.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { HEADER_ROW } from '../layout/table-sheet.js'

/** So that spreadsheets take the file for UTF-8. */
const MARK = '\uFEFF'
/** What a spreadsheet takes for the beginning of a formula or a command (OWASP, CSV injection). */
const ACTIVE = /^[\s\p{Cc}]*(?:[=+\-@|%\uFF0B\uFF0D\uFF1D\uFF20]|[\p{Cc}])/u

/**
 * A sheet that is one table as CSV (RFC 4180, CRLF, UTF-8 with a mark): the same cells as in the workbook, dates as
 * `YYYY-MM-DD`, moments in ISO 8601, shares as fractions, numbers to 15 digits, what is not known empty. Text a spreadsheet would act upon
 * begins with an apostrophe.
 * @param sheet a plan made by `tableSheet`
 */
export function renderCsv(sheet: SheetPlan): string {
  const lines: string[] = []
  let row = 0
  for (const plan of sheet.rows()) if (++row >= HEADER_ROW) lines.push(lineOf(plan, sheet.columns))
  return `${MARK}${lines.join('\r\n')}\r\n`
}

function lineOf({ cells }: RowPlan, columns: number): string {
  return Array.from({ length: columns }, (_, index) => field(cellContent(cells[index]))).join(',')
}

function field(value: ReturnType<typeof cellContent>): string {
  if (value === null) return ''
  if (typeof value === 'number') return formatDecimal(value)
  return value instanceof Date ? dateField(value) : textField(value)
}

function dateField(date: Date): string {
  const text = date.toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text
}

function textField(text: string): string {
  const harmless = ACTIVE.test(text) ? `'${text}` : text
  return /[",\r\n']|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
