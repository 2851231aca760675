import type { ReportRecord } from '../../core/report-record.js'
import type { Timestamp } from '../../core/time/clock.js'
import { fromStoredText, toStoredText } from '../documents/stored-text.js'
import type { SqlDatabase } from '../sql/sql-database.js'

/** The records of reports that processes on this database have written. */
export const createReportRecords = (database: SqlDatabase) => ({
  /** Records a report that was written. A file that is written again under the same name gets another record. */
  async addReportRecord(report: ReportRecord): Promise<void> {
    const { name, rfqId, madeBy } = report
    await database.write((tx) =>
      tx.run(
        `insert into reports (name, channel, rfq_id, as_of, made_at, made_by, sha256, bytes)
        values (@name, @channel, @rfqId, @asOf, @madeAt, @madeBy, @sha256, @bytes)`,
        { ...report, name: toStoredText(name), rfqId: toStoredText(rfqId), madeBy: toStoredText(madeBy) },
      ),
    )
  },

  /** The RFQs of a channel for which `madeBy` made a report since a moment, and when the newest one was made. */
  async reportedRfqs({
    channel,
    madeBy,
    since,
  }: {
    channel: string
    madeBy: string
    since: Date
  }): Promise<{ rfqId: string; madeAt: Timestamp }[]> {
    const rows = await database.all<{ rfqId: string; madeAt: Timestamp }>(
      `select rfq_id as "rfqId", max(made_at) as "madeAt" from reports
      where channel = @channel and made_by = @madeBy and made_at >= @since and rfq_id is not null group by rfq_id`,
      { channel, madeBy: toStoredText(madeBy), since: since.toISOString() },
    )
    return rows.map((row) => ({ ...row, rfqId: fromStoredText(row.rfqId) }))
  },
})

export type ReportRecords = ReturnType<typeof createReportRecords>
