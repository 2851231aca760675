import type { Config } from '../../src/config/contract.js'
import type { Store } from '../../src/store/contract.js'
import type { ChannelRules } from '../../src/tables/channels/channel-rules.js'
import { readList } from '../../src/tables/list.js'
import type { RfqRow } from '../../src/tables/lists/rfq-row.js'
import { rfqs } from '../../src/tables/lists/rfqs.js'
import { createViewSource, type ViewSource, viewConfigOf } from '../../src/tables/source.js'
import { channelConfig, testConfig } from './test-config.js'

const RULES: ChannelRules = { key: 'acme/forest', timeZone: 'UTC', graceHours: 0, autoClose: 'off' }

/** What views are computed from, for channels with these rules; by default one that is never closed. */
export const viewSourceOf = (
  store: Store,
  channels: readonly ChannelRules[] = [RULES],
  config: Partial<Config> = {},
): ViewSource =>
  createViewSource(
    store,
    viewConfigOf(testConfig({ channels: channels.map((rules) => channelConfig(rules.key, rules)), ...config })),
  )

/** The rows of the list of RFQs, with what was recorded of them. */
export async function rfqRows(
  store: Store,
  now: Date,
  {
    channels = [RULES],
    parameters = {},
  }: { channels?: readonly ChannelRules[]; parameters?: Record<string, string> } = {},
): Promise<RfqRow[]> {
  return (await readList(rfqs, viewSourceOf(store, channels), { now, parameters })).rows
}
