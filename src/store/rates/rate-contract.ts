import type { DatedRate, KnownRates } from '../../core/decision/exchange-rates.js'
import type { Timestamp } from '../../core/time/clock.js'

/** Exchange rates with the moments at which they became known, so that a past moment has the rates that were known then. */
export interface ExchangeRates {
  /**
   * Records what was read from a source: rates that are new, or differ from the newest ones known of their currency and day. Recorded
   * rates never change. Rates dated more than `RECORDED_RATE_DAYS` before are left out.
   * @param source as `Settings.ratesFrom` names it
   * @returns how many were recorded
   */
  recordRates(source: string, rates: readonly DatedRate[], fetchedAt: Date): Promise<number>
  /** The rates of a source that had been recorded by a moment. */
  ratesAt(source: string, at: Date): Promise<KnownRates>
  /** The moments after another one at which rates were recorded, in order. */
  rateFetches(after: Date): Promise<Timestamp[]>
}
