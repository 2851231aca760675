import { formatNumber } from '../../src/presentation/number-format-code.js'
import type { Cell } from '../xlsx/cells.js'

/** Shown in place of a figure that is not determinable. */
export const NO_FIGURE = '–'

/** Whether a cell shows a number or a date, which must fit on one line. */
export const isNumberOrDate = ({ value }: Cell): boolean => typeof value === 'number' || value instanceof Date

/** The text a cell displays, formatted by its number format. Supports the formats of cell-styles.ts. */
export function cellText({ value, style }: Cell): string {
  const format = style.numFmt ?? ''
  if (value === null) return ''
  if (typeof value === 'string') return value
  return value instanceof Date ? formatDate(value, format) : formatNumber(value, format)
}

function formatDate(date: Date, format: string): string {
  const text = date.toISOString()
  return format.includes('hh') ? `${text.slice(0, 10)} ${text.slice(11, 16)} UTC` : text.slice(0, 10)
}
