import type { Monitoring, RecordedVersion, RfqCount } from './contract.js'
import type { IndexedRfq, ListRfqs } from './rfq-index.js'
import type { Queries } from './sql-database.js'

interface VersionRow {
  kind: RecordedVersion['kind']
  observed_at: string
  not_before: string | null
}

/** Figures for monitoring, cheap enough to be read several times a minute. */
export function createMonitoring(queries: Queries, listRfqs: ListRfqs): Omit<Monitoring, 'sizes'> {
  return {
    rfqCounts: async (channel) => countEqual((await listRfqs(channel)).filter(({ isMissing }) => !isMissing)),
    async recordedVersions(runId) {
      const rows = await queries.all<VersionRow>(
        'select kind, observed_at, not_before from versions where run_id = @runId',
        { runId },
      )
      return rows.map(({ kind, observed_at, not_before }): RecordedVersion => {
        const delayMs = not_before === null ? null : Date.parse(observed_at) - Date.parse(not_before)
        return { kind, delaySeconds: delayMs === null ? null : delayMs / 1000 }
      })
    },
  }
}

function countEqual(rfqs: readonly IndexedRfq[]): RfqCount[] {
  const counts = new Map<string, RfqCount>()
  for (const { state, dueDate } of rfqs) {
    const key = JSON.stringify([state, dueDate])
    const known = counts.get(key)
    if (known) known.count++
    else counts.set(key, { state, dueDate, count: 1 })
  }
  return [...counts.values()]
}
