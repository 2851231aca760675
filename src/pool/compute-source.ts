import { type ComputeRfqs, type ComputeSource, createComputeRfqs } from '../recommendations/compute-rfq.js'
import { createRulesLookup } from '../tables/channels/channel-rules.js'
import type { ViewConfig } from '../tables/source.js'

/** Computes recommendations as configured. */
export function computeRfqsOf(
  store: ComputeSource['store'],
  { channels, reports: { settings } }: Pick<ViewConfig, 'channels' | 'reports'>,
): ComputeRfqs {
  const rulesOf = createRulesLookup(channels)
  return createComputeRfqs({ store, timeZoneOf: (channel) => rulesOf(channel).timeZone, settings })
}
