import type { ReportSource } from '../../jobs/report-input.js'
import type { Config } from '../config.js'
import type { Store } from '../store/contract.js'
import { VERSION } from '../version.js'
import { timeZoneOf } from './channels.js'

/** What a report of a channel is made from. */
export function reportSource(
  { store, config }: { store: Store; config: Config },
  { channel: key, asOf, now }: { channel: string; asOf: Date; now: Date },
): ReportSource {
  const channel = { key, timeZone: timeZoneOf(config, key) }
  return { store, config, channel, asOf, now, version: VERSION }
}
