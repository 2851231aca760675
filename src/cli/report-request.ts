import type { Config } from '../config.js'
import type { ReportRequest } from '../reporting/make-report.js'
import { VERSION } from '../version.js'
import { timeZoneOf } from './select-channels.js'

/** A report on a channel, as the configuration wants it; no key of the configuration goes with it. */
export function createReportOrder(
  config: Config,
  { channel: key, asOf, now }: { channel: string; asOf: Date; now: Date },
): ReportRequest {
  const channel = { key, timeZone: timeZoneOf(config, key) }
  return { config: { reports: config.reports }, channel, asOf, now, version: VERSION }
}
