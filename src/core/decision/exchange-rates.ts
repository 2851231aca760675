import { CURRENCY_CODE, SETTING_LIMITS, type Settings } from './settings.js'

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
const [MIN_RATE, MAX_RATE] = SETTING_LIMITS.rate
/** More would suggest an accuracy that reference rates do not have. */
const SIGNIFICANT_DIGITS = 8

/** The UTC date of a moment, minus some days, as `YYYY-MM-DD`. */
export const dayBefore = (at: Date, days = 0): string =>
  new Date(at.getTime() - days * 86_400_000).toISOString().slice(0, 10)

/**
 * Fills `exchangeRates` with what was known of `ratesFrom`, dated at most `MAX_RATE_AGE_DAYS` before the day of the moment; rates that are set already stay. Each has its date, and the source as
 * `ratesFrom` names it. Both rates of a cross rate have the same date, the newest that both have. A cross rate outside the limits of rates is
 * not used.
 */
export function withKnownRates(settings: Settings, recent: readonly DatedRate[]): Settings {
  const { currency: base, ratesFrom: source, exchangeRates: fixed } = settings
  const days = ratesByDay(recent)
  const codes = new Set(days.flatMap(({ rates }) => [...rates.keys()]))
  const found = [...codes].sort().flatMap((code) => {
    if (base === null || code === base || fixed[code] !== undefined) return []
    for (const { date, rates } of days) {
      const [from, to] = [rates.get(code), rates.get(base)]
      if (from === undefined || to === undefined) continue
      const rate = Number((to / from).toPrecision(SIGNIFICANT_DIGITS))
      if (rate >= MIN_RATE && rate <= MAX_RATE) return [[code, { rate, date, source }] as const]
    }
    return []
  })
  return { ...settings, exchangeRates: { ...Object.fromEntries(found), ...fixed } }
}

interface RatesOfDay {
  date: string
  rates: Map<string, number>
}

/** The newest day first, each with the euro, whose rate is 1. */
function ratesByDay(recent: readonly DatedRate[]): RatesOfDay[] {
  const days = new Map<string, Map<string, number>>()
  for (const { currency, date, rate } of recent) {
    const rates = days.get(date) ?? new Map([[EURO, 1]])
    if (CURRENCY_CODE.test(currency) && currency !== EURO) rates.set(currency, rate)
    days.set(date, rates)
  }
  return [...days].map(([date, rates]) => ({ date, rates })).sort((a, b) => (a.date < b.date ? 1 : -1))
}

/** The settings with only those rates of `ratesFrom` that concern some currencies; fixed rates stay. */
export function withRatesOf(settings: Settings, currencies: readonly string[]): Settings {
  const { ratesFrom, exchangeRates } = settings
  if (ratesFrom === null) return settings
  const isKept = ([code, { source }]: [string, { source: string | null }]) =>
    source !== ratesFrom || currencies.includes(code)
  return { ...settings, exchangeRates: Object.fromEntries(Object.entries(exchangeRates).filter(isKept)) }
}
