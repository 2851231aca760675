import type { ComputeSource } from '../recommendations/compute-rfq.js'
import { createRulesLookup } from '../views/channels/channel-rules.js'
import type { ViewConfig } from '../views/source.js'

/** What recommendations are computed from, as configured. */
export function computeSourceOf(
  store: ComputeSource['store'],
  config: Pick<ViewConfig, 'channels' | 'reports'>,
): ComputeSource {
  const rulesOf = createRulesLookup(config.channels)
  return {
    store,
    timeZoneOf: (channel) => rulesOf(channel).timeZone,
    settings: config.reports.settings,
  }
}
