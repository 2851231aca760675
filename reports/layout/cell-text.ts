import { formatDecimal } from '../../src/domain/comparison/number-format.js'
import { rounded } from '../../src/domain/comparison/numbers.js'
import { type Cell, type CellContent, formula } from '../xlsx/cells.js'

/** Shown in place of a figure that is not determinable. */
export const NO_FIGURE = '–'

/** The value of a cell, with dates that formulas calculate as dates; null if empty or #N/A. */
export function cellContent(cell: Cell | undefined): CellContent {
  const value = cell?.value ?? null
  return typeof value === 'number' && cell?.style.numFmt?.includes('yyyy') ? dateFromSerial(value) : value
}

/**
 * A formula that refers to a cell, in its style and with its value as the stored result.
 * @param otherwise the result if the cell has no value
 */
export function referenceTo(cell: Cell, expression: string, otherwise: string): Cell {
  const { value, style } = cell
  if (typeof value === 'number' || typeof value === 'string') return formula(expression, value, style)
  return formula(expression, isNotAvailable(cell) ? NO_FIGURE : otherwise, style)
}

/** Whether a cell shows a number or a date, which must fit on one line. */
export function isNumberOrDate(cell: Cell): boolean {
  const value = cellContent(cell)
  return typeof value === 'number' || value instanceof Date
}

/** The text a cell displays, formatted by its number format. Supports the formats of cell-styles.ts. */
export function cellText(cell: Cell): string {
  const value = cellContent(cell)
  const format = cell.style.numFmt ?? ''
  if (value === null) return isNotAvailable(cell) ? '#N/A' : ''
  if (typeof value === 'string') return value
  if (value instanceof Date) return formatDate(value, format)
  return formatNumber(value, format)
}

/** Whether a cell contains a formula whose result is #N/A. */
export const isNotAvailable = ({ value, formula }: Cell): boolean => formula !== undefined && value === null

const dateFromSerial = (serial: number) => new Date(Math.round((serial - 25_569) * 86_400_000))

function formatDate(date: Date, format: string): string {
  const text = date.toISOString()
  return format.includes('hh') ? `${text.slice(0, 10)} ${text.slice(11, 16)} UTC` : text.slice(0, 10)
}

/** The first of three formats, for numbers from a limit on. */
const CONDITION = /^\[>=([\d.]+)\]/

function formatNumber(value: number, format: string): string {
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
