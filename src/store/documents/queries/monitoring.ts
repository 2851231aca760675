import type { Monitoring, RecordedVersion, RfqCount } from '../../contract.js'
import type { Queries } from '../../sql/sql-database.js'

interface VersionRow {
  kind: RecordedVersion['kind']
  observed_at: string
  not_before: string | null
}

/** Queries for monitoring, fast enough to run several times a minute. */
export function createMonitoring(queries: Queries): Omit<Monitoring, 'sizes'> {
  return {
    async storedChannels() {
      const rows = await queries.all<{ channel: string }>('select channel from channels order by channel')
      return rows.map(({ channel }) => channel)
    },
    rfqCounts: (channel) =>
      queries.all<RfqCount>(
        `select state, due_date as "dueDate", count(*) as count from documents
        where channel = @channel and kind = 'rfq' and missing_since is null group by state, due_date`,
        { channel },
      ),
    async recordedVersions(runId) {
      const rows = await queries.all<VersionRow>(
        `select kind, observed_at, not_before from versions where run_id = @runId and kind <> 'rfq-entry'`,
        { runId },
      )
      return rows.map(({ kind, observed_at, not_before }): RecordedVersion => {
        const delayMs = not_before === null ? null : Date.parse(observed_at) - Date.parse(not_before)
        return { kind, delaySeconds: delayMs === null ? null : delayMs / 1000 }
      })
    },
  }
}
