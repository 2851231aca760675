export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** The UTC calendar date of a moment, YYYY-MM-DD. */
export const calendarDate = (moment: number | Date): string => new Date(moment).toISOString().slice(0, 10)
/** A moment in the marketplace's format: ISO 8601, UTC, with milliseconds. */
export const timestamp = (moment: number | Date): string => new Date(moment).toISOString()
/** The calendar date that is `days` after another. */
export const daysAfter = (date: string, days: number): string => calendarDate(Date.parse(date) + days * DAY)
/** The moment (epoch milliseconds) at which a UTC calendar date ends. */
export const endOf = (date: string): number => Date.parse(date) + DAY
export const yearOf = (date: string): number => Number(date.slice(0, 4))

export const cents = (amount: number): number => Math.round(amount * 100) / 100
export const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
