import type { ReportRecord } from '../../core/report-record.js'
import type { Timestamp } from '../../core/time/clock.js'

export interface ReportRecords {
  /** Records a report that was written. A file that is written again under the same name gets another record. */
  addReportRecord(report: ReportRecord): Promise<void>
  /** The RFQs of a channel for which `madeBy` made a report since a moment, and when the newest one was made. */
  reportedRfqs(filter: {
    channel: string
    madeBy: string
    since: Date
  }): Promise<{ rfqId: string; madeAt: Timestamp }[]>
}
