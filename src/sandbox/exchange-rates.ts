import type { Reply } from './api.js'

/** Where the sandbox serves exchange rates, without an API key. */
export const RATES_PATH = '/rates/eurofxref-hist.csv'

/** Invented levels, in units per euro, with the decimals of the real file. */
const LEVELS: Readonly<Record<string, readonly [rate: number, decimals: number]>> = {
  USD: [1.08, 4],
  JPY: [162.5, 2],
  GBP: [0.845, 5],
  SEK: [11.2, 4],
  CHF: [0.945, 4],
  AUD: [1.66, 4],
  CAD: [1.49, 4],
}
const DAYS = 500
const DAY_MS = 86_400_000
/** The rates of a day are published at this hour (UTC). */
const PUBLISHED_HOUR = 15

/**
 * A file of invented rates in the format of the European Central Bank's historical reference rates, as published by a
 * moment: a line for each working day, the newest first. The rates of a day are always the same.
 */
export function exchangeRates(now: Date): Reply {
  const newest = Math.floor((now.getTime() - PUBLISHED_HOUR * 3_600_000) / DAY_MS)
  const days = Array.from({ length: DAYS }, (_, age) => newest - age).filter((day) => ![0, 6].includes(weekdayOf(day)))
  const lines = days.map((day) => {
    const rates = Object.values(LEVELS).map(([level, decimals], column) => rateOn(day, level, column).toFixed(decimals))
    return `${new Date(day * DAY_MS).toISOString().slice(0, 10)},${rates.join(',')},N/A,`
  })
  const csv = [`Date,${Object.keys(LEVELS).join(',')},HRK,`, ...lines, ''].join('\n')
  return { status: 200, body: Buffer.from(csv), headers: { 'content-type': 'text/csv; charset=utf-8' } }
}

const weekdayOf = (day: number) => new Date(day * DAY_MS).getUTCDay()

/** Swings by a few percent in a year and a little from day to day. */
const rateOn = (day: number, level: number, column: number): number =>
  level * (1 + 0.03 * Math.sin(day / 58 + column) + 0.004 * Math.sin(day * 1.7 + column * 5))
