import { fromStoredText, toStoredText } from '../documents/stored-text.js'
import type { SqlDatabase } from '../sql/sql-database.js'
import type { ReportRecords } from './report-contract.js'

/** The records of reports that processes on this database have written. */
export function createReportRecords(database: SqlDatabase): ReportRecords {
  return {
    async addReportRecord(report) {
      await database.write((tx) =>
        tx.run(
          `insert into reports (name, channel, rfq_id, as_of, made_at, made_by, sha256, bytes)
          values (@name, @channel, @rfqId, @asOf, @madeAt, @madeBy, @sha256, @bytes)`,
          {
            ...report,
            name: toStoredText(report.name),
            rfqId: report.rfqId === null ? null : toStoredText(report.rfqId),
            madeBy: report.madeBy === null ? null : toStoredText(report.madeBy),
          },
        ),
      )
    },
    async reportedRfqs({ channel, madeBy, since }) {
      const rows = await database.all<{ rfq_id: string; made_at: string }>(
        `select rfq_id, max(made_at) as made_at from reports
        where channel = @channel and made_by = @madeBy and made_at >= @since and rfq_id is not null group by rfq_id`,
        { channel, madeBy: toStoredText(madeBy), since: since.toISOString() },
      )
      return rows.map(({ rfq_id, made_at }) => ({ rfqId: fromStoredText(rfq_id), madeAt: made_at }))
    },
  }
}
