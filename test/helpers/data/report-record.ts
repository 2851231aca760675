import type { ReportRecord } from '../../../src/core/records.js'

/** A record of a report that was never made. */
export const reportRecord = (name: string, more: Partial<ReportRecord> = {}): ReportRecord => ({
  name,
  channel: 'acme/forest',
  rfqId: 'rfq-1',
  asOf: '2026-11-21T12:00:00.000Z',
  madeAt: '2026-11-21T12:00:01.000Z',
  madeBy: 'ana',
  sha256: 'ab'.repeat(32),
  bytes: 12_345,
  ...more,
})
