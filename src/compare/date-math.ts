import type { CalendarDate } from './input/comparison-input.js'

const DAY = 86_400_000

/** Whole days from one calendar date to another, negative if the second is earlier; null if it is unknown. */
export function daysBetween(from: CalendarDate, to: CalendarDate | null): number | null {
  return to === null ? null : (Date.parse(to) - Date.parse(from)) / DAY
}

/** Year of a calendar date. */
export const yearOf = (date: CalendarDate): number => Number(date.slice(0, 4))
