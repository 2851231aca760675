import { formatDecimal } from '../../src/domain/comparison/number-format.js'
import { rounded } from '../../src/domain/comparison/numbers.js'
import { type Cell, formula } from '../xlsx/cells.js'

/** Shown in place of a figure that is not determinable. */
export const NO_FIGURE = '–'

/** What a cell shows: text, a number or a date; null if nothing. */
export type CellContent = string | number | Date | null

/** The value of a cell, or the stored result of its formula; null if empty or #N/A. Text is unescaped. */
export function cellContent(cell: Cell | undefined): CellContent {
  const value = plainValue(cell?.value ?? null)
  if (typeof value === 'number' && cell?.style.numFmt?.includes('yyyy')) return dateFromSerial(value)
  return typeof value === 'string' ? value.replace(/_x005F_(?=x[0-9A-Fa-f]{4}_)/g, '_') : value
}

/**
 * A formula that refers to a cell, in its style and with its value as the stored result.
 * @param otherwise the result if the cell has no value
 */
export function referenceTo(cell: Cell, expression: string, otherwise: string): Cell {
  const content = cellContent(cell)
  const words = isNotAvailable(cell) ? NO_FIGURE : otherwise
  return formula(expression, storedNumber(cell) ?? (typeof content === 'string' ? content : words), cell.style)
}

/** The number in a cell or stored as the result of its formula, dates as serial numbers; null if there is none. */
export function storedNumber({ value }: Cell): number | null {
  const plain = plainValue(value)
  return typeof plain === 'number' ? plain : null
}

export const isFormula = ({ value }: Cell): boolean => value !== null && typeof value === 'object' && 'formula' in value

function plainValue(value: Cell['value']): CellContent {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (typeof value !== 'object' || value instanceof Date) return value
  if ('formula' in value) return plainValue((value.result ?? null) as Cell['value'])
  return 'hyperlink' in value ? value.text : null
}

/** The link target of a cell, or null. */
export function cellLink(cell: Cell): string | null {
  const { value } = cell
  return value !== null && typeof value === 'object' && 'hyperlink' in value ? value.hyperlink : null
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
export function isNotAvailable({ value }: Cell): boolean {
  if (value === null || typeof value !== 'object' || !('formula' in value)) return false
  return typeof value.result === 'object' && value.result !== null && 'error' in value.result
}

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
