import type ExcelJS from 'exceljs'
import { cleanText, truncate } from '../layout/clean-text.js'
import { plain, type Style, scientific } from './cell-styles.js'
import { escapeXstring } from './escape-xml.js'

/**
 * What stands in one cell. Made here only: whatever comes from outside becomes text, a finite number or a calendar date,
 * and nothing but `formula` makes formulas. (exceljs takes an object such as `{formula}` from JSON for a live formula.)
 */
export interface Cell {
  readonly value: ExcelJS.CellValue
  readonly style: Style
}

/** What a formula showed when the file was written: Protected View and other readers show it without computing. */
export type CachedResult = number | string | boolean | null

/** Excel's limit of characters in a cell. */
const MAX_CELL_CHARACTERS = 32_767
/** Excel refuses longer addresses. */
const LINK_CHARACTERS = 2_000
const CUT_MARK = '… [cut; in full on About]'
/** First moment whose serial number Excel and everyone else agree on (Excel believes in 29 February 1900). */
const FIRST_DATE = Date.UTC(1900, 2, 1)

/** An empty cell with a style. */
export const blank = (style: Style = plain): Cell => ({ value: null, style })

/**
 * Outside text; never a formula, whatever it begins with. Cut at 32,767 characters with a visible mark.
 * @param value anything; null and undefined give an empty cell
 */
export function text(value: unknown, style: Style = plain): Cell {
  const clean = truncate(cleanText(value), MAX_CELL_CHARACTERS, CUT_MARK)
  return { value: clean === '' ? null : escapeXstring(clean), style }
}

/** A finite number; anything else gives what `otherwise` says (empty unless told). */
export function number(value: number | null | undefined, style: Style = plain, otherwise = ''): Cell {
  return typeof value === 'number' && Number.isFinite(value)
    ? { value: settled(value), style: fitting(value, style) }
    : text(otherwise, style)
}

/** A calendar date `YYYY-MM-DD` as a date; what is none stays the text it was. */
export function date(value: string | null | undefined, style: Style): Cell {
  const day = dayOf(value)
  return day === null ? text(value, style) : { value: day, style }
}

/** A moment (UTC ISO 8601) as a date with a time of day in UTC; what is none stays the text it was. */
export function moment(value: string | null | undefined, style: Style): Cell {
  const milliseconds = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return milliseconds >= FIRST_DATE ? { value: new Date(milliseconds), style } : text(value, style)
}

/**
 * The one maker of formulas.
 * @param expression ours, never from outside: addresses, functions and constants only
 * @param cached its result as the report model has it; null is `#N/A`
 */
export function formula(expression: string, cached: CachedResult, style: Style = plain): Cell {
  const shown = typeof cached === 'number' ? fitting(cached, style) : style
  return { value: { formula: expression, result: cachedValue(cached) } as ExcelJS.CellFormulaValue, style: shown }
}

/** A formula over whole ranges at once; `address` is the cell it stands in. */
export function arrayFormula(expression: string, cached: CachedResult, address: string, style: Style = plain): Cell {
  const cell = formula(expression, cached, style)
  return { ...cell, value: { ...(cell.value as ExcelJS.CellFormulaValue), shareType: 'array', ref: address } as never }
}

/** A formula whose result is a calendar date. */
export function dateFormula(expression: string, cached: string | null, style: Style): Cell {
  return formula(expression, dateSerial(cached), style)
}

/** A link to another page; only `https:` becomes one, everything else stays text. */
export function webLink(label: unknown, address: unknown, style: Style, plainStyle: Style = plain): Cell {
  const target = secureAddress(address)
  const shown = truncate(cleanText(label), MAX_CELL_CHARACTERS, CUT_MARK)
  if (target === null || shown === '') return text(label, plainStyle)
  return { value: { text: escapeXstring(shown), hyperlink: target }, style }
}

/** A link to a sheet of this workbook; the name is one of ours. */
export function sheetLink(label: string, sheet: string, style: Style, address = 'A1'): Cell {
  return { value: { text: label, hyperlink: `#${quoteSheetName(sheet)}!${address}` }, style }
}

/** A sheet name as formulas want it. */
export const quoteSheetName = (sheet: string): string => `'${sheet.replaceAll("'", "''")}'`

/** A constant of ours as a text within a formula. */
export const stringLiteral = (constant: string): string => `"${constant.replaceAll('"', '""')}"`

/** The serial number of a calendar date, as spreadsheets count days; null for what is none. */
export function dateSerial(value: string | null | undefined): number | null {
  const day = dayOf(value)
  return day === null ? null : day.getTime() / 86_400_000 + 25_569
}

function dayOf(value: string | null | undefined): Date | null {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value ?? '')
  if (!parts) return null
  const [year, month, date] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const day = new Date(Date.UTC(year, month - 1, date))
  return day.getTime() >= FIRST_DATE && day.getUTCMonth() === month - 1 && day.getUTCDate() === date ? day : null
}

function cachedValue(cached: CachedResult): ExcelJS.CellFormulaValue['result'] {
  if (cached === null || (typeof cached === 'number' && !Number.isFinite(cached))) return { error: '#N/A' }
  if (typeof cached === 'number') return settled(cached)
  return typeof cached === 'string' ? escapeXstring(truncate(cleanText(cached), MAX_CELL_CHARACTERS)) : cached
}

/** Numbers too long for any column are shown with an exponent rather than as ####. */
const fitting = (value: number, style: Style): Style => (Math.abs(value) < 1e15 ? style : { ...style, ...scientific })

/** No negative zero: it would show as `-0`. */
const settled = (value: number): number => (value === 0 ? 0 : value)

function secureAddress(address: unknown): string | null {
  const wanted = cleanText(address)
  if (!URL.canParse(wanted)) return null
  const url = new URL(wanted)
  return url.protocol === 'https:' && url.href.length <= LINK_CHARACTERS && url.username === '' ? url.href : null
}
