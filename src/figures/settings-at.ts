import { withKnownRates } from '../core/decision/exchange-rates.js'
import type { Settings } from '../core/decision/settings.js'
import type { ExchangeRates } from '../store/contract.js'

/**
 * The settings of a comparison as of a moment, with the exchange rates of `ratesFrom` known at that time. Returns settings that already have
 * rates, such as those of a recorded report, unchanged.
 * @throws StoreError
 */
export async function settingsAt(
  store: Pick<ExchangeRates, 'ratesAt'>,
  settings: Settings,
  at: Date,
): Promise<Settings> {
  const { ratesFrom, outdatedRates } = settings
  if (ratesFrom === null || outdatedRates !== null) return settings
  return withKnownRates(settings, await store.ratesAt(ratesFrom, at))
}
