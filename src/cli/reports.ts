import type { ReportSource } from '../../jobs/report-input.js'
import type { Config } from '../config.js'
import type { Store } from '../store/contract.js'
import { VERSION } from '../version.js'
import { FailedError } from './error.js'

/** What a report of a channel is made from; a channel that left the configuration is read in UTC. */
export function reportSource(
  { store, config }: { store: Store; config: Config },
  { channel: key, asOf, now }: { channel: string; asOf: Date; now: Date },
): ReportSource {
  const channel = config.channels.find((each) => each.key === key) ?? { key, timeZone: 'UTC' }
  return { store, config, channel, asOf, now, version: VERSION }
}

/** The overview workbook of a channel is still to come; its figures are there. */
export async function writeChannelReport({ channel: { key } }: ReportSource, _out?: string): Promise<string> {
  throw new FailedError(`there is no overview workbook yet; its figures: quotekeeper report --channel ${key} --json`)
}
