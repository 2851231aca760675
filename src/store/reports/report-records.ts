import type { ReportRecord } from '../../core/records.js'
import { insertMembers, type SqlDatabase } from '../sql/sql-database.js'

/** The records of reports that processes on this database have written. */
export const createReportRecords = (database: SqlDatabase) => ({
  /** Records a report that was written. A file that is written again under the same name gets another record. */
  addReportRecord: (report: ReportRecord) => database.write((tx) => insertMembers(tx, 'reports', [report])),

  /** The RFQs of a channel that closing rounds closed since a moment, and of which `madeBy` has made no report since; oldest first. */
  unreportedCloses: ({ channel, madeBy, since }: { channel: string; madeBy: string; since: Date }) =>
    database.all<{ rfqId: string }>(
      `select rfq_id as "rfqId" from close_decisions d
      where channel = @channel and outcome in ('closed', 'already-closed') and decided_at >= @since and not exists (
        select 1 from reports r
        where r.channel = d.channel and r.made_at >= d.decided_at and r.rfq_id = d.rfq_id and r.made_by = @madeBy)
      group by rfq_id order by max(id)`,
      { channel, madeBy, since: since.toISOString() },
    ),
})
