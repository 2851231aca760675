import { DEFAULT_SETTINGS } from '../../src/core/decision/settings.js'
import type { Store } from '../../src/store/contract.js'
import type { ChannelRules } from '../../src/tables/channels/channel-rules.js'
import { createRfqList } from '../../src/tables/rfqs/rfq-list.js'
import type { Today, TodayItem, TodayRfq, TodaySource } from '../../src/tables/today/today-view.js'

/** What Today is made from, where every poll is on schedule and nothing holds closing. */
export const todaySource = (store: Store, channels: readonly ChannelRules[]): TodaySource => ({
  store,
  rfqs: createRfqList({ store, channels, settings: DEFAULT_SETTINGS }),
  channels,
  settings: DEFAULT_SETTINGS,
  config: { closing: { maxPerRun: 25 } },
  pollChecks: async () => [],
  findClosingBlocker: async () => null,
  findClockSkewBlock: async () => null,
})

/** Everything that Today lists. */
export const itemsOf = ({
  rfqs,
  closings,
  system,
}: Pick<Today, 'rfqs' | 'closings' | 'system'>): (TodayItem | TodayRfq)[] => [...rfqs, ...closings, ...system]
