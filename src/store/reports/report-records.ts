import type { ReadTimes, ReportRecord } from '../../core/report-record.js'
import { fromStoredText, toStoredText } from '../documents/stored-text.js'
import { allOf, type SqlDatabase } from '../sql/sql-database.js'
import type { ReportRecords } from './report-contract.js'

interface ReportRow {
  name: string
  channel: string
  rfq_id: string | null
  format: ReportRecord['format']
  as_of: string
  made_at: string
  made_by: string | null
  program_version: string
  time_zone: string
  settings: string
  read_times: string | null
  sha256: string
  bytes: number
}

const toRecord = (row: ReportRow): ReportRecord => ({
  name: fromStoredText(row.name),
  channel: row.channel,
  rfqId: row.rfq_id === null ? null : fromStoredText(row.rfq_id),
  format: row.format,
  asOf: row.as_of,
  madeAt: row.made_at,
  madeBy: row.made_by === null ? null : fromStoredText(row.made_by),
  programVersion: row.program_version,
  timeZone: row.time_zone,
  settings: JSON.parse(row.settings) as ReportRecord['settings'],
  readTimes: row.read_times === null ? null : (JSON.parse(row.read_times) as ReadTimes),
  sha256: row.sha256,
  bytes: row.bytes,
})

/** The records of reports that processes on this database have written. */
export function createReportRecords(database: SqlDatabase): ReportRecords {
  return {
    async addReportRecord(report) {
      await database.write((tx) =>
        tx.run(
          `insert into reports (name, channel, rfq_id, format, as_of, made_at, made_by, program_version, time_zone, settings,
            read_times, sha256, bytes)
          values (@name, @channel, @rfqId, @format, @asOf, @madeAt, @madeBy, @programVersion, @timeZone, @settings,
            @readTimes, @sha256, @bytes)`,
          {
            ...report,
            name: toStoredText(report.name),
            rfqId: report.rfqId === null ? null : toStoredText(report.rfqId),
            madeBy: report.madeBy === null ? null : toStoredText(report.madeBy),
            settings: JSON.stringify(report.settings),
            readTimes: report.readTimes === null ? null : JSON.stringify(report.readTimes),
          },
        ),
      )
    },
    async listReports(limit) {
      const rows = await database.all<Pick<ReportRow, 'name' | 'bytes' | 'made_at' | 'made_by' | 'sha256'>>(
        `select name, bytes, made_at, made_by, sha256 from reports
        where id in (select max(id) from reports group by name) order by id desc limit @limit`,
        { limit },
      )
      return rows.map(({ name, bytes, made_at, made_by, sha256 }) => ({
        ...{ name: fromStoredText(name), bytes, madeAt: made_at, sha256 },
        madeBy: made_by === null ? null : fromStoredText(made_by),
      }))
    },
    async reportRecord(name, sha256) {
      const row = await database.get<ReportRow>(
        `select * from reports where name = @name and ${allOf(sha256 !== undefined && 'sha256 = @sha256')}
        order by id desc limit 1`,
        { name: toStoredText(name), sha256: sha256 ?? null },
      )
      return row ? toRecord(row) : null
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
