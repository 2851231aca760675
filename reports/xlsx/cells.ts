import { cleanText, truncate } from '../../src/core/text/clean-text.js'
import { withoutNoise } from '../../src/core/text/number-format.js'
import { asScientific, plain, type Style } from './cell-styles.js'

/**
 * The content and style of one cell. Cells are made only by the functions below: values from outside become text, finite
 * numbers or dates, never formulas. (exceljs treats an object such as `{formula}` from JSON as a live formula.)
 */
export interface Cell {
  /** Text, a number or a date; null if the cell is empty. Of a formula, the stored result. */
  readonly value: string | number | Date | null
  readonly style: Style
  /** The expression of a formula, without `=`. */
  readonly formula?: string
  /** The address that a click opens. */
  readonly link?: string
  /** What can be entered, separated by commas; on a streamed sheet, not beside links, which exceljs writes before. */
  readonly choices?: string
}

/** Excel's limit of characters in a cell. */
const MAX_CELL_CHARACTERS = 32_767
/** Excel refuses longer addresses. */
const MAX_LINK_CHARACTERS = 2_000
const TRUNCATION_MARK = '… [full text on About]'
/** First date with the same serial number everywhere: Excel counts a 29 February 1900 that never existed. */
const FIRST_DATE = Date.UTC(1900, 2, 1)

export const blank = (style: Style = plain): Cell => ({ value: null, style })

/**
 * A text cell; never a formula, whatever the text begins with. Truncated at 32,767 characters, with a visible mark.
 * @param value any value from outside; null and undefined give an empty cell
 */
export function text(value: unknown, style: Style = plain): Cell {
  const clean = truncate(cleanText(value), MAX_CELL_CHARACTERS, TRUNCATION_MARK)
  return { value: clean === '' ? null : clean, style }
}

/** A number cell with 15 significant digits; empty for anything but a finite number. */
export function number(value: number | null | undefined, style: Style = plain): Cell {
  if (typeof value !== 'number' || !Number.isFinite(value)) return blank(style)
  return { value: withoutNoise(value), style: Math.abs(value) < 1e15 ? style : asScientific(style) }
}

/** A date cell from `YYYY-MM-DD`; anything else stays text. */
export function date(value: string | null | undefined, style: Style): Cell {
  const day = parseDate(value)
  return day === null ? text(value, style) : { value: day, style }
}

/** A date and time cell (UTC) from ISO 8601; anything else stays text. */
export function moment(value: string | null | undefined, style: Style): Cell {
  const milliseconds = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return milliseconds >= FIRST_DATE ? { value: new Date(milliseconds), style } : text(value, style)
}

/**
 * A formula cell.
 * @param expression never text from outside: addresses, functions and constants only
 * @param cached the result, taken from the report model: Protected View and other readers show it without recalculating
 */
export const formula = (expression: string, cached: number | string, style: Style = plain): Cell => ({
  ...(typeof cached === 'number' ? number(cached, style) : { value: cached, style }),
  formula: expression,
})

/** A link to a web page; any address other than `https:` gives plain text. */
export function webLink(label: unknown, address: unknown, style: Style, plainStyle: Style = plain): Cell {
  const target = httpsAddress(address)
  const cell = text(label, style)
  return target === null || cell.value === null ? text(label, plainStyle) : { ...cell, link: target }
}

/** Spreadsheets read `_x0041_` as `A` (ECMA-376 part 1, ST_Xstring), so the underscore of such text is escaped. */
export const escapeXstring = (text: string): string => text.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')

function parseDate(value: string | null | undefined): Date | null {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value ?? '')
  if (!parts) return null
  const [year, month, date] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const day = new Date(Date.UTC(year, month - 1, date))
  return day.getTime() >= FIRST_DATE && day.getUTCMonth() === month - 1 && day.getUTCDate() === date ? day : null
}

function httpsAddress(address: unknown): string | null {
  const target = cleanText(address)
  if (!URL.canParse(target)) return null
  const url = new URL(target)
  return url.protocol === 'https:' && url.href.length <= MAX_LINK_CHARACTERS && url.username === '' ? url.href : null
}
