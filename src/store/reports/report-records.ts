import type { ReportRecord } from '../../core/records.js'
import type { Timestamp } from '../../core/time/clock.js'
import { insertMembers, type SqlDatabase } from '../sql/sql-database.js'

/** The records of reports that processes on this database have written. */
export const createReportRecords = (database: SqlDatabase) => ({
  /** Records a report that was written. A file that is written again under the same name gets another record. */
  addReportRecord: (report: ReportRecord) => database.write((tx) => insertMembers(tx, 'reports', [report])),

  /** The RFQs of a channel for which `madeBy` made a report since a moment, and when the newest one was made. */
  reportedRfqs: ({ channel, madeBy, since }: { channel: string; madeBy: string; since: Date }) =>
    database.all<{ rfqId: string; madeAt: Timestamp }>(
      `select rfq_id as "rfqId", max(made_at) as "madeAt" from reports
      where channel = @channel and made_by = @madeBy and made_at >= @since and rfq_id is not null group by rfq_id`,
      { channel, madeBy, since: since.toISOString() },
    ),
})

export type ReportRecords = ReturnType<typeof createReportRecords>
