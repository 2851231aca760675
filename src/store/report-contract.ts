import type { ReportRecord } from '../domain/report-record.js'

export interface ReportRecords {
  /** Records a report that was written. A file that is written again under its name has one more record. */
  addReportRecord(report: ReportRecord): Promise<void>
  /** The newest record of each name, the newest first, at most `limit`. */
  reportRecords(limit: number): Promise<ReportRecord[]>
  /** The newest record of a report; null if there is none. */
  reportRecord(name: string): Promise<ReportRecord | null>
}
