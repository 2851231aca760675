import { byCodeUnit } from '../numbers.js'
import type { Settings } from './settings.js'

/** The rate of a currency on a day, as the European Central Bank quotes it. */
export interface DatedRate {
  currency: string
  /** `YYYY-MM-DD`. */
  date: string
  /** Units of the currency per euro. */
  rate: number
}

/** Older rates are not used: they would hide that the source is no longer read. Long holidays have fewer days without rates. */
export const MAX_RATE_AGE_DAYS = 10
/** Older rates are not recorded: no moment uses them. */
export const RECORDED_RATE_DAYS = 400

const EURO = 'EUR'
/** More would suggest an accuracy that reference rates do not have. */
const SIGNIFICANT_DIGITS = 8

/** The UTC date of a moment, minus some days, as `YYYY-MM-DD`. */
export const dayBefore = (at: Date, days = 0): string =>
  new Date(at.getTime() - days * 86_400_000).toISOString().slice(0, 10)

/**
 * Fills `exchangeRates` with what was known of `ratesFrom`; rates that are set already stay. Each has its date, and the source as
 * `ratesFrom` names it. Both rates of a cross rate have the same date, the newest that both have.
 * @param recent dated at most `MAX_RATE_AGE_DAYS` before the day of the moment
 */
export function withKnownRates(settings: Settings, recent: readonly DatedRate[]): Settings {
  const { currency: base, ratesFrom: source, exchangeRates: fixed } = settings
  const known: Settings['exchangeRates'] = {}
  for (const date of [...new Set(recent.map((rate) => rate.date))].sort().reverse()) {
    const ofDay = recent.flatMap((rate) => (rate.date === date ? [[rate.currency, rate.rate] as const] : []))
    const rates = new Map([...ofDay, [EURO, 1]])
    const to = base === null ? undefined : rates.get(base)
    if (to === undefined) continue
    for (const [code, from] of rates)
      if (code !== base) known[code] ??= { rate: Number((to / from).toPrecision(SIGNIFICANT_DIGITS)), date, source }
  }
  const sorted = Object.entries(known).sort(([a], [b]) => byCodeUnit(a, b))
  return { ...settings, exchangeRates: { ...Object.fromEntries(sorted), ...fixed } }
}

/** The settings with only those rates of `ratesFrom` that concern some currencies; fixed rates stay. */
export function withRatesOf(settings: Settings, currencies: readonly string[]): Settings {
  const { ratesFrom, exchangeRates } = settings
  if (ratesFrom === null) return settings
  const isKept = ([code, { source }]: [string, { source: string | null }]) =>
    source !== ratesFrom || currencies.includes(code)
  return { ...settings, exchangeRates: Object.fromEntries(Object.entries(exchangeRates).filter(isKept)) }
}
