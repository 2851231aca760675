import { createFindClosingBlocker } from '../closing/kill-switch.js'
import type { RfqReport } from '../compare/report/compare-offers.js'
import type { Config } from '../config/contract.js'
import type { Calendar } from '../core/time/expiry.js'
import { createPollChecks, type PollCheck } from '../readiness/poll-freshness.js'
import type { Store } from '../store/contract.js'
import { databaseName } from '../store/open-database.js'
import { type ChannelRules, createRulesLookup } from './channels/channel-rules.js'
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
export interface ViewSource {
  store: Store
  config: ViewConfig
  channels: readonly ChannelRules[]
  /** Channels that are configured, and those whose data is still stored. */
  knownChannels: () => Promise<string[]>
  /** Every poll of every channel. */
  pollChecks: (now: Date) => Promise<PollCheck[]>
  /** Why a closing round of a channel would close no RFQ at all now, such as a stop file; null if nothing keeps it. */
  findClosingBlocker: (channel: string) => Promise<string | null>
  rulesOf: (channel: string) => ChannelRules & { calendar: Calendar }
  /** Which RFQ of a channel, by default of all, has a name. @throws FilterError */
  findRfq: (search: Omit<RfqAddress, 'channel'> & { channel?: string }) => Promise<RfqRef>
  compare: (request: ComparisonRequest) => Promise<RfqReport>
}

export function createViewSource(store: Store, config: ViewConfig): ViewSource {
  const { channels } = config
  const { settings } = config.reports
  const rulesOf = createRulesLookup(channels)
  return {
    ...{ store, config, channels, rulesOf },
    async findRfq(search) {
      const { channel, id, name } = await findRfq(store, { ...search, withoutResponses: true })
      return { channel, id, name }
    },
    compare: (request) => compareRfq({ store, settings, rulesOf }, request),
    knownChannels: async () => [...new Set([...channels.map(({ key }) => key), ...(await store.storedChannels())])],
    pollChecks: createPollChecks(config, store),
    findClosingBlocker: createFindClosingBlocker(config, store),
  }
}
