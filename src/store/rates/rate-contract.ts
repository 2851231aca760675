import type { DatedRate, KnownRates } from '../../core/decision/exchange-rates.js'

/** Exchange rates with the moments at which they were recorded, so that past moments use the rates known at that time. */
export interface ExchangeRates {
  /**
   * Records rates of a source that are new, or differ from the newest known rate of their currency and day. Recorded rates never change.
   * Rates that are older than `RECORDED_RATE_DAYS` are skipped.
   * @param source as in `Settings.ratesFrom`
   * @returns how many were recorded
   */
  recordRates(source: string, rates: readonly DatedRate[], fetchedAt: Date): Promise<number>
  /** The rates of a source that had been recorded by a moment. */
  ratesAt(source: string, at: Date): Promise<KnownRates>
}
