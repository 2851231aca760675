import type { ReportSource } from '../../jobs/report-input.js'
import type { Config } from '../config.js'
import type { Store } from '../store/contract.js'
import { VERSION } from '../version.js'

/** What a report of a channel is made from; a channel that left the configuration is read in UTC. */
export function reportSource(
  { store, config }: { store: Store; config: Config },
  { channel: key, asOf, now }: { channel: string; asOf: Date; now: Date },
): ReportSource {
  const channel = config.channels.find((each) => each.key === key) ?? { key, timeZone: 'UTC' }
  return { store, config, channel, asOf, now, version: VERSION }
}
