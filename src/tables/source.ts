import { createFindClosingBlocker } from '../closing/kill-switch.js'
import type { Config } from '../config/contract.js'
import { createPollChecks } from '../readiness/poll-freshness.js'
import type { Store } from '../store/contract.js'
import { databaseName } from '../store/open-database.js'
import { createRulesLookup } from './channels/channel-rules.js'
import { findRfq, type RfqAddress, type RfqRef } from './find-rfq.js'
import { type ComparisonRequest, compareRfq } from './rfq/compare-rfq.js'

/** The part of the configuration that views use; contains no secret, so that it can be sent to a thread. */
export type ViewConfig = Pick<Config, 'file' | 'database' | 'schedule' | 'scheduleTimeZone' | 'reports' | 'closing'> & {
  channels: Omit<Config['channels'][number], 'apiKey'>[]
}

export const viewConfigOf = ({ channels, database, ...config }: Config): ViewConfig => {
  const { file, schedule, scheduleTimeZone, reports, closing } = config
  return {
    ...{ file, schedule, scheduleTimeZone, reports, closing },
    channels: channels.map(({ apiKey: _secret, ...channel }) => channel),
    // A URL without its password.
    database: databaseName(database),
  }
}

/** What views are computed from. */
export type ViewSource = ReturnType<typeof createViewSource>

export function createViewSource(store: Store, config: ViewConfig) {
  const { channels } = config
  const { settings } = config.reports
  const rulesOf = createRulesLookup(channels)
  return {
    ...{ store, config, channels, rulesOf },
    /** Channels that are configured, and those whose data is still stored. */
    knownChannels: async () => [...new Set([...channels.map(({ key }) => key), ...(await store.storedChannels())])],
    /** Which RFQ of a channel, by default of all, has a name. @throws FilterError */
    async findRfq(search: Omit<RfqAddress, 'channel'> & { channel?: string }): Promise<RfqRef> {
      const { channel, id, name } = await findRfq(store, { ...search, withoutResponses: true })
      return { channel, id, name }
    },
    compare: (request: ComparisonRequest) => compareRfq({ store, settings, rulesOf }, request),
    /** Every poll of every channel. */
    pollChecks: createPollChecks(config, store),
    /** Why a closing round of a channel would close no RFQ at all now, such as a stop file; null if nothing keeps it. */
    findClosingBlocker: createFindClosingBlocker(config, store),
  }
}
