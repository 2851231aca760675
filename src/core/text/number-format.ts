/** Formats figures for sentences, independent of the locale. */
import { rounded } from '../numbers.js'
import { truncate } from './clean-text.js'

const groupedFormat = (digits: number, minimum = 0) => {
  const format = new Intl.NumberFormat('en-US', { minimumFractionDigits: minimum, maximumFractionDigits: digits })
  return (value: number) => format.format(rounded(value, digits)).replace(/^-/, '−')
}

/** `12,500` or `0.5`. */
export const formatAmount = groupedFormat(2)
const formatOneDecimal = groupedFormat(1)
/** `12.3456`: a number of any kind, with up to four decimals. */
export const formatFourDecimals = groupedFormat(4)
/** A price per tonne with two to four decimals, where the difference of two may matter: `7.90`, `13.805`. */
export const formatExactPrice = groupedFormat(4, 2)
const formatCents = groupedFormat(2, 2)
/** A price per tonne: `7.90`, `13.81`; more decimals below 0.1. */
export const formatPrice = (value: number): string =>
  Math.abs(value) < 0.1 ? formatExactPrice(value) : formatCents(value)

/**
 * The shortest decimal that is exact to 15 digits, as spreadsheets show it: 13.805 rather than
 * 13.805000000000001.
 */
export const formatDecimal = (value: number): string => String(withoutNoise(value))

/** A number with 15 significant digits, as spreadsheets keep them: 13.37, not 13.370000000000001. */
export const withoutNoise = (value: number): number =>
  Number.isInteger(value) && Math.abs(value) < 1e15 ? value + 0 : Number(value.toPrecision(15))

/** `12,500 t`. */
export const formatTonnes = (value: number): string => `${formatAmount(value)} t`
/** `690,000.50 USD`, `690,000 USD`; the currency as it was sent. */
export const formatMoney = (value: number, currency: string | null): string =>
  `${Number.isInteger(rounded(value, 2)) ? formatAmount(value) : formatCents(value)} ${truncate(currency ?? '', 8)}`.trimEnd()
/** A total of money without cents from 1,000 on: `690,001 USD`. */
export const formatTotal = (value: number, currency: string | null): string =>
  formatMoney(Math.abs(value) >= 1000 ? rounded(value, 0) : value, currency)
/** `12.25 USD/t`, or `12.25/t` without a currency. */
export const formatPricePerTonne = (value: number, currency: string | null): string =>
  `${`${formatPrice(value)} ${truncate(currency ?? '', 8)}`.trimEnd()}/t`
/** `33.3 %` of a fraction. */
export const formatPercent = (share: number): string => `${formatOneDecimal(share * 100)} %`
/** `+5.2 %`, `−3 %` of a fraction. */
export const formatChange = (share: number): string => `${share > 0 ? '+' : ''}${formatPercent(share)}`
/** `1 day`, `12 days`. */
export const formatCount = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatAmount(count)} ${count === 1 ? noun : plural}`

/**
 * The limits of a range: `100–500`, `from 100`, `up to 500`, or one number if both are equal; null if there are none.
 * @param format of a number
 */
export function formatRange(
  min: number | null,
  max: number | null,
  format: (value: number) => string = formatAmount,
): string | null {
  if (min === null) return max === null ? null : `up to ${format(max)}`
  if (max === null) return `from ${format(min)}`
  return min === max ? format(min) : `${format(min)}–${format(max)}`
}

/** Weekday, day and month of an existing date, such as `Tue`, `3` and `Nov`. @param date `YYYY-MM-DD` */
export function dayParts(date: string) {
  const [weekday, day, month] = new Date(`${date}T00:00:00Z`).toUTCString().split(/[ ,]+/)
  return { weekday, day: Number(day), month }
}

/** Dates farther away than this have their year. */
const MAX_DAYS_WITHOUT_YEAR = 180

/**
 * A date with its weekday, which means the same in every time zone: `Tue 24 Nov`, or `Tue 24 Nov 2026` half a year away.
 * @param date `YYYY-MM-DD`
 * @param days from today to the date
 */
export function formatWeekday(date: string, days: number): string {
  const { weekday, day, month } = dayParts(date)
  const year = Math.abs(days) > MAX_DAYS_WITHOUT_YEAR ? ` ${date.slice(0, 4)}` : ''
  return `${weekday} ${day} ${month}${year}`
}

/**
 * `today in Paris`, `tomorrow in New York`; null for other days. The same date can be today in one time zone and tomorrow in another, so
 * the place is named.
 * @param timeZone IANA name, such as `America/New_York`
 */
export function formatNearDay(days: number, timeZone: string): string | null {
  const name = days === 0 ? 'today' : days === 1 ? 'tomorrow' : null
  return name && `${name} in ${timeZone.split('/').at(-1)?.replaceAll('_', ' ')}`
}

/** Plain data with its numbers rounded by `withoutNoise`. */
export function withRoundedNumbers<T>(value: T): T {
  if (typeof value === 'number') return withoutNoise(value) as T
  if (Array.isArray(value)) return value.map(withRoundedNumbers) as T
  if (value === null || typeof value !== 'object') return value
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) copy[name] = withRoundedNumbers(member)
  return copy as T
}
