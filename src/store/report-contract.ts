import type { ListedReport, ReportRecord } from '../domain/report-record.js'

export interface ReportRecords {
  /** Records a report that was written. A file that is written again under its name has one more record. */
  addReportRecord(report: ReportRecord): Promise<void>
  /** By the newest record of each name, the newest first, at most `limit`. */
  listReports(limit: number): Promise<ListedReport[]>
  /** The newest record of a report; null if there is none. */
  reportRecord(name: string): Promise<ReportRecord | null>
}
