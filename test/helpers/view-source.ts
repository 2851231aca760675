import type { Config } from '../../src/config/contract.js'
import type { Store } from '../../src/store/contract.js'
import type { ChannelRules } from '../../src/tables/channels/channel-rules.js'
import { createViewSource, type ViewSource, viewConfigOf } from '../../src/tables/source.js'
import { channelConfig, testConfig } from './test-config.js'

/** What views are computed from, for channels with these rules. */
export const viewSourceOf = (
  store: Store,
  channels: readonly ChannelRules[],
  config: Partial<Config> = {},
): ViewSource =>
  createViewSource(
    store,
    viewConfigOf(testConfig({ channels: channels.map((rules) => channelConfig(rules.key, rules)), ...config })),
  )
