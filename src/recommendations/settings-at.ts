import { withKnownRates } from '../core/decision/exchange-rates.js'
import type { Settings } from '../core/decision/settings.js'
import type { ExchangeRates } from '../store/contract.js'

/**
 * The settings of a comparison as of a moment: with the exchange rates of `ratesFrom` that were known then. Settings whose rates have been
 * looked up, such as those of a recorded report, stay as they are.
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
