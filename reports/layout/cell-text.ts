import { formatNumber } from '../../src/presentation/number-format-code.js'
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
