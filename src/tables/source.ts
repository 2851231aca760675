import { createFindClockSkewBlock, createFindClosingBlocker } from '../closing/closing-blockers.js'
import type { RfqReport } from '../compare/report/compare-offers.js'
import type { Config } from '../config/contract.js'
import type { Settings } from '../core/decision/settings.js'
import type { ClockSkewBlock } from '../core/time/clock-skew.js'
import type { Calendar } from '../core/time/expiry.js'
import { createPollChecks, type PollCheck } from '../readiness/poll-freshness.js'
import type { Store } from '../store/contract.js'
import { databaseName } from '../store/open-database.js'
import { VERSION } from '../version.js'
import { type ChannelRules, createRulesLookup } from './channels/channel-rules.js'
import { rfqFinder } from './find-rfq.js'
import { buildRfqReport } from './rfq/build-rfq-report.js'
import type { RfqReportSource } from './rfq/report-input.js'

/** The part of the configuration that views use; contains no secret, so that it can be sent to a thread. */
export type ViewConfig = Pick<
  Config,
  'file' | 'database' | 'schedule' | 'scheduleTimeZone' | 'requests' | 'reports'
> & {
  closing: Pick<Config['closing'], 'enabled' | 'maxPerRun'>
  channels: Omit<Config['channels'][number], 'apiKey'>[]
}

export const viewConfigOf = ({ channels, closing, ...config }: Config): ViewConfig => ({
  channels: channels.map(({ apiKey: _secret, ...channel }) => channel),
  closing: { enabled: closing.enabled, maxPerRun: closing.maxPerRun },
  file: config.file,
  // A URL without its password.
  database: databaseName(config.database),
  schedule: config.schedule,
  scheduleTimeZone: config.scheduleTimeZone,
  requests: config.requests,
  reports: config.reports,
})

/** What views are computed from. */
export interface ViewSource {
  store: Store
  config: ViewConfig
  channels: readonly ChannelRules[]
  /** What offers are compared with. */
  settings: Settings
  /** Every poll of every channel. */
  pollChecks: (now: Date) => Promise<PollCheck[]>
  /** Why a closing round of a channel would close no RFQ at all now, such as a stop file; null if nothing keeps it. */
  findClosingBlocker: (channel: string) => Promise<string | null>
  /** What the newest closing round of a channel found of the clocks, if that stopped it. */
  findClockSkewBlock: (channel: string) => Promise<ClockSkewBlock | null>
  rulesOf: (channel: string) => ChannelRules & { calendar: Calendar }
  findRfq: ReturnType<typeof rfqFinder>
  /**
   * Compares the offers for an RFQ, as of a moment, without its changes.
   * @param settings default: the configured ones
   * @throws UnknownRfqError, InvalidSettingError, StoreError
   */
  compare(rfq: RfqId, moment: ComparisonMoment, settings?: Settings): Promise<RfqReport>
}

interface RfqId {
  channel: string
  id: string
}

interface ComparisonMoment {
  now: Date
  asOf?: Date | undefined
}

export function createViewSource(store: Store, config: ViewConfig): ViewSource {
  const { channels } = config
  const { settings } = config.reports
  const rulesOf = createRulesLookup(channels)
  const sourceOf = (
    { channel, id: rfqId }: RfqId,
    { now, asOf = now }: ComparisonMoment,
    given?: Settings,
  ): RfqReportSource => ({
    ...{ store, asOf, now, version: VERSION, rfqId },
    config: { reports: { ...config.reports, ...(given && { settings: given }) } },
    channel: { key: channel, timeZone: rulesOf(channel).timeZone },
  })
  return {
    ...{ store, config, channels, settings },
    rulesOf,
    findRfq: rfqFinder({ store, channels }),
    compare: (rfq, moment, given) => buildRfqReport(sourceOf(rfq, moment, given)),
    pollChecks: createPollChecks(config, store),
    findClosingBlocker: createFindClosingBlocker(config, store),
    findClockSkewBlock: createFindClockSkewBlock(store),
  }
}
