import { MAX_RATE_AGE_DAYS } from '../../core/decision/exchange-rates.js'
import type { Settings } from '../../core/decision/settings.js'
import { countByName } from '../../core/numbers.js'
import type { CalendarDate } from './comparison-input.js'

type RateSettings = Pick<Settings, 'currency' | 'exchangeRates' | 'ratesFrom'>

/**
 * Determines the comparison currency of an RFQ's offers and the exchange rates. Offers in a currency without a rate are not ranked.
 * @param rfq the RFQ's currency code, or null
 * @param offers the currency code of each offer, or null
 */
export function currencyReport(rfq: string | null, offers: readonly (string | null)[], settings: RateSettings) {
  const used = countByName(offers.filter((code) => code !== null))
  const { comparison, reason } = comparisonCurrency(
    rfq,
    used.map(([code]) => code),
    settings,
  )
  const counts = new Map(used)
  const occurring = [...new Set([...counts.keys(), rfq, comparison])].filter((code) => code !== null).sort()
  const rates = occurring.map((code) => rateOf(code, comparison, counts.get(code) ?? 0, settings))
  return {
    /** The configured one if the RFQ's own can be converted into it; otherwise the RFQ's own; otherwise the only one the offers use. */
    comparison,
    /** Why this currency was chosen. */
    reason,
    /** The RFQ's own; null if it states none. */
    rfq,
    /** Every currency that occurs, sorted; the comparison currency has rate 1. */
    rates,
  }
}
export type CurrencyReport = ReturnType<typeof currencyReport>

interface RateReport {
  currency: string
  /** What one unit is worth in the comparison currency; null if no rate is known. */
  rate: number | null
  date: CalendarDate | null
  source: string | null
  /** Number of offers in this currency. */
  offers: number
  /** The rate and its source, or why none is known; one sentence. */
  message: string
}

/** Comparison currency per unit of a currency, or null. */
export function rateInto(report: CurrencyReport, currency: string | null): number | null {
  return report.rates.find((rate) => rate.currency === currency)?.rate ?? null
}

function comparisonCurrency(rfq: string | null, offers: string[], settings: RateSettings) {
  const { currency: chosen, exchangeRates } = settings
  if (chosen !== null && (rfq === null || rfq === chosen || exchangeRates[rfq] !== undefined)) {
    return { comparison: chosen, reason: 'The currency set in the settings.' }
  }
  if (rfq !== null) {
    const instead = `; the settings choose ${chosen}, but ${fromSource(rfq, settings) ?? `contain no exchange rate for ${rfq}`}`
    return { comparison: rfq, reason: `The RFQ's own currency${chosen === null ? '' : instead}.` }
  }
  const [only, another] = offers
  if (only !== undefined && another === undefined) {
    return { comparison: only, reason: 'The RFQ states no currency; this is the only one its offers use.' }
  }
  return { comparison: null, reason: 'Neither the settings, the RFQ nor its offers determine a single currency.' }
}

function rateOf(code: string, comparison: string | null, offers: number, settings: RateSettings): RateReport {
  const none = { currency: code, rate: null, date: null, source: null, offers, message: '' }
  if (code === comparison) return { ...none, rate: 1, message: 'The comparison currency.' }
  if (comparison === null) return { ...none, message: 'There is no comparison currency to convert into.' }
  const configured = settings.exchangeRates[code]
  if (configured === undefined) return { ...none, message: unknownRate(code, comparison, settings) }
  if (settings.currency !== comparison) {
    const base = settings.currency ?? 'a currency that is not configured'
    return { ...none, message: `Exchange rates are quoted in ${base}, so it cannot be converted into ${comparison}.` }
  }
  const { rate, date, source } = configured
  const origin = `${date === null ? 'date not stated' : date}, ${source ?? 'source not stated'}`
  return { currency: code, rate, date, source, offers, message: `1 ${code} = ${rate} ${comparison} (${origin}).` }
}

function unknownRate(code: string, comparison: string, settings: RateSettings): string {
  const why = fromSource(code, settings) ?? `no exchange rate into ${comparison} is configured`
  return `${why.charAt(0).toUpperCase()}${why.slice(1)}.`
}

/** Why the source of rates has none for a currency; null if none is configured. */
const fromSource = (code: string, { ratesFrom }: RateSettings): string | null =>
  ratesFrom && `no exchange rate for ${code} of the last ${MAX_RATE_AGE_DAYS} days was known from ${ratesFrom}`
