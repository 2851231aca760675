import { rounded } from '../../core/numbers.js'
import { formatDecimal } from '../../core/text/number-format.js'

/** The first of three formats, for numbers from a limit on. */
const CONDITION = /^\[>=([\d.]+)\]/

/**
 * A number as a spreadsheet shows it, so that pages and charts show the figures of the workbook. Supports the number formats of
 * reports/xlsx/cell-styles.ts.
 * @param format a number format of SpreadsheetML, such as `#,##0.00`; empty for up to 15 digits
 */
export function formatNumber(value: number, format: string): string {
  const parts = format.split(';')
  if (format === '') return formatDecimal(value)
  if (parts.length === 3) return formatBySign(value, parts as [string, string, string])
  return applyNumberFormat(value, format)
}

function formatBySign(value: number, [positive, negative, zero]: [string, string, string]): string {
  const limit = CONDITION.exec(positive)?.[1]
  if (limit !== undefined) return applyNumberFormat(value, value >= Number(limit) ? positive : zero)
  if (value === 0) return applyNumberFormat(0, zero)
  return value > 0
    ? `+${applyNumberFormat(value, positive.slice(1))}`
    : `-${applyNumberFormat(-value, negative.slice(1))}`
}

/** Does not use Intl, whose formatters are slow to create: this runs for every cell of a report. */
function applyNumberFormat(value: number, format: string): string {
  if (format.includes('E+')) return value.toExponential(2).toUpperCase()
  const decimals = /[#0]\.([0#]+)/.exec(format)?.[1] ?? ''
  const isPercent = format.includes('%')
  const magnitude = Math.abs(isPercent ? value * 100 : value)
  const digits = withDecimals(magnitude, decimals.replaceAll('#', '').length, decimals.length)
  const sign = value < 0 && /[1-9]/.test(digits) ? '-' : ''
  const code = /\[\$([A-Z]{3})\]/.exec(format)?.[1]
  return `${sign}${code === undefined ? '' : `${code} `}${format.includes(',') ? groupThousands(digits) : digits}${isPercent ? '%' : ''}`
}

function withDecimals(magnitude: number, min: number, max: number): string {
  const digits = rounded(magnitude, max).toFixed(max)
  if (min === max) return digits
  const end = digits.length - (max - min)
  const kept = digits.slice(0, end) + digits.slice(end).replace(/0+$/, '')
  return kept.endsWith('.') ? kept.slice(0, -1) : kept
}

function groupThousands(digits: string): string {
  const [whole = '', ...rest] = digits.split('.')
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.')
}
