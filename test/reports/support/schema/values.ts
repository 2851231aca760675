/** Simple types: valid values of an attribute or of the text of an element. */
export type Value = (text: string) => boolean

const number =
  (pattern: RegExp, least: number, most: number): Value =>
  (text) =>
    pattern.test(text) && Number(text) >= least && Number(text) <= most
const fits =
  (pattern: RegExp): Value =>
  (text) =>
    pattern.test(text)

export const oneOf = (...message: string[]): Value => {
  const known = new Set(message)
  return (text) => known.has(text)
}
export const text: Value = () => true
export const bool: Value = fits(/^(?:[01]|true|false)$/)
export const whole = (least: number, most: number): Value => number(/^-?\d+$/, least, most)
export const unsigned: Value = whole(0, 4_294_967_295)
export const byte: Value = whole(0, 255)
export const signed: Value = whole(-2_147_483_648, 2_147_483_647)
/** A finite double: cells cannot contain infinity or NaN. */
export const double: Value = number(/^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/, -Number.MAX_VALUE, Number.MAX_VALUE)
export const guid: Value = fits(/^\{[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}\}$/)
/** Alpha, red, green, blue. */
export const argb: Value = fits(/^[0-9A-F]{8}$/)
export const rgb: Value = fits(/^[0-9A-F]{6}$/)
export const language: Value = fits(/^[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*$/)
/** A W3C date and time in UTC. */
export const moment: Value = (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) && !Number.isNaN(Date.parse(text))
export const xmlId: Value = fits(/^[A-Za-z_][\w.-]*$/)
/** The columns a row spans, such as `1:11`. */
export const spans: Value = fits(/^\d+:\d+(?: \d+:\d+)*$/)

const COLUMNS = 16_384
const ROWS = 1_048_576
const CELL = /^([A-Z]{1,3})([1-9]\d{0,6})$/

/** Column and row, counted from 1; null for an invalid address. */
export function cellAt(address: string): { column: number; row: number } | null {
  const [, letters = '', digits = ''] = CELL.exec(address) ?? []
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
  const row = Number(digits)
  return column >= 1 && column <= COLUMNS && row >= 1 && row <= ROWS ? { column, row } : null
}

export interface Area {
  top: number
  bottom: number
  left: number
  right: number
}
/** `A1` or `A1:B2`, its first corner at the upper left; null for anything else. */
export function areaOf(reference: string): Area | null {
  const corners = reference.split(':').map(cellAt)
  const [first, last = first] = corners
  if (!first || !last || corners.length > 2 || first.column > last.column || first.row > last.row) return null
  return { top: first.row, bottom: last.row, left: first.column, right: last.column }
}

export const cell: Value = (text) => cellAt(text) !== null
export const area: Value = (text) => areaOf(text) !== null
export const areas: Value = (text) => text.split(' ').every(area)
