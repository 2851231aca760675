import { DEFAULT_SETTINGS } from '../../../src/core/decision/settings.js'
import type { ReportRecord } from '../../../src/core/report-record.js'

/** A record of a report that was never made. */
export const reportRecord = (name: string, more: Partial<ReportRecord> = {}): ReportRecord => ({
  name,
  channel: 'acme/forest',
  rfqId: 'rfq-1',
  format: 'xlsx',
  asOf: '2026-11-21T12:00:00.000Z',
  madeAt: '2026-11-21T12:00:01.000Z',
  madeBy: 'ana',
  programVersion: '1.0.0',
  timeZone: 'Europe/Berlin',
  settings: DEFAULT_SETTINGS,
  readTimes: { termsRead: null, pricesRead: { oldest: 'a', newest: 'b', behindPoll: false } },
  sha256: 'ab'.repeat(32),
  bytes: 12_345,
  ...more,
})
