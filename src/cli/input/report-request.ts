import type { Config } from '../../config/contract.js'
import type { ReportRequest } from '../../report-files/make-report.js'
import { VERSION } from '../../version.js'
import { timeZoneOf } from './select-channels.js'

/**
 * The request for a report on a channel, sent to a worker thread. It contains only the report settings of the
 * configuration, and no API key.
 */
export function createReportRequest(
  config: Config,
  { channel: key, asOf, now, madeBy }: { channel: string; asOf: Date; now: Date; madeBy?: string },
): ReportRequest {
  const channel = { key, timeZone: timeZoneOf(config, key) }
  const who = madeBy === undefined ? {} : { madeBy }
  return { config: { reports: config.reports }, channel, asOf, now, version: VERSION, ...who }
}
