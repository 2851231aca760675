import type { Monitoring, RecordedVersion } from '../../contract.js'
import type { Queries } from '../../sql-database.js'
import { createRfqCounts } from './due-rfqs.js'

interface VersionRow {
  kind: RecordedVersion['kind']
  observed_at: string
  not_before: string | null
}

/** Figures for monitoring, cheap enough to be read several times a minute. */
export function createMonitoring(queries: Queries): Omit<Monitoring, 'sizes'> {
  return {
    rfqCounts: createRfqCounts(queries),
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
