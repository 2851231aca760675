import type { RateSource } from '../../core/decision/rate-source.js'
import type { Clock } from '../../core/time/clock.js'
import type { ExchangeRates } from '../../store/contract.js'
import { readRates } from './read-rates.js'

interface RefreshedRates {
  /** Rates that are new or were corrected. */
  recorded: number
  /** Date of the newest rate that was read; null if none is recent enough to be recorded. */
  newest: string | null
}

/**
 * Reads a source of exchange rates and records new rates. Changes nothing if the source cannot be read.
 * @throws RateFileError, StoreError; the reason of the signal when it is aborted
 */
export async function refreshRates(
  store: Pick<ExchangeRates, 'recordRates'>,
  source: RateSource,
  { now, signal }: { now: Clock; signal?: AbortSignal },
): Promise<RefreshedRates> {
  const { rates, newest } = await readRates(source, { now: now(), ...(signal && { signal }) })
  return { recorded: await store.recordRates(source.name, rates, now()), newest }
}
