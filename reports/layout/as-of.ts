import { plainNumber } from '../xlsx/cell-styles.js'
import { type Cell, dateSerial, formula, number } from '../xlsx/cells.js'

/** `as of 2026-01-31 12:00 UTC`. */
export const asOfLabel = (asOf: string): string => `as of ${asOf.slice(0, 16).replace('T', ' ')} UTC`

/**
 * Days from the as-of date to a date, as a formula. A date before 1900 is text to a spreadsheet: its days are a constant.
 * @param address the cell with the date
 * @param day the same date, from the report
 */
export const daysFromAsOf = (address: string, day: string | null, days: number | null): Cell =>
  dateSerial(day) === null ? number(days, plainNumber) : formula(`${address}-AsOfDate`, days, plainNumber)
