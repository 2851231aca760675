export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** The UTC calendar date of a moment, YYYY-MM-DD. */
export const calendarDate = (moment: number | Date): string => new Date(moment).toISOString().slice(0, 10)
/** A moment in the marketplace's format: ISO 8601, UTC, with milliseconds. */
export const timestamp = (moment: number | Date): string => new Date(moment).toISOString()
/** The moment (epoch milliseconds) at which a UTC calendar date ends. */
export const endOf = (date: string): number => Date.parse(date) + DAY
export const yearOf = (date: string): number => Number(date.slice(0, 4))

export const cents = (amount: number): number => Math.round(amount * 100) / 100
