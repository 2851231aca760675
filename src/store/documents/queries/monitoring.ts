import type { Monitoring, RecordedVersion } from '../../contract.js'
import type { Queries } from '../../sql/sql-database.js'

interface VersionRow {
  kind: RecordedVersion['kind']
  observed_at: string
  not_before: string | null
}

/** Queries for monitoring, fast enough to run several times a minute. */
export function createMonitoring(queries: Queries): Omit<Monitoring, 'sizes'> {
  return {
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
