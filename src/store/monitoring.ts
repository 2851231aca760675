import { statSync } from 'node:fs'
import type { Connection } from './connection.js'
import type { Monitoring, RecordedVersion, RfqCount } from './contract.js'
import { createRfqIndex, type IndexedRfq } from './rfq-index.js'

/** Figures for monitoring, cheap enough to be read several times a minute. */
export function createMonitoring(connection: Connection): Monitoring {
  const presentRfqs = createRfqIndex(connection)
  return {
    rfqCounts: async (channel) => countEqual(await presentRfqs(channel)),
    async recordedVersions(runId) {
      return connection.read((db) =>
        db
          .prepare(
            `select kind, (unixepoch(observed_at, 'subsec') - unixepoch(not_before, 'subsec')) as delaySeconds
            from versions where run_id = ?`,
          )
          .all(runId),
      ) as RecordedVersion[]
    },
    fileSizes() {
      const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
      return { database: size(connection.path), wal: size(`${connection.path}-wal`) }
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
