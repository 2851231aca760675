import type { Config } from '../config.js'
import type { ReportRequest } from '../reporting/make-report.js'
import { VERSION } from '../version.js'
import { timeZoneOf } from './select-channels.js'

/**
 * The request for a report on a channel, sent to a worker thread. It contains only the report settings of the
 * configuration, and no API key.
 */
export function createReportOrder(
  config: Config,
  { channel: key, asOf, now }: { channel: string; asOf: Date; now: Date },
): ReportRequest {
  const channel = { key, timeZone: timeZoneOf(config, key) }
  return { config: { reports: config.reports }, channel, asOf, now, version: VERSION }
}
