import type { ListedReport, ReportRecord } from '../../core/report-record.js'
import type { Timestamp } from '../../core/time/clock.js'

export interface ReportRecords {
  /** Records a report that was written. A file that is written again under its name has one more record. */
  addReportRecord(report: ReportRecord): Promise<void>
  /** By the newest record of each name, the newest first, at most `limit`. */
  listReports(limit: number): Promise<ListedReport[]>
  /** The newest record of a report, or of one with this hash; null if there is none. */
  reportRecord(name: string, sha256?: string): Promise<ReportRecord | null>
  /** The RFQs of a channel of which somebody made a report since a moment, and when the newest one was made. */
  reportedRfqs(filter: {
    channel: string
    madeBy: string
    since: Date
  }): Promise<{ rfqId: string; madeAt: Timestamp }[]>
}
