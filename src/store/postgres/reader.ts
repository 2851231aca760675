import { createClosings } from '../closings.js'
import type { Reader } from '../contract.js'
import { createDeliveries } from '../deliveries.js'
import { createEventWriter } from '../event-writer.js'
import { createMonitoring } from '../monitoring.js'
import { createOverview } from '../overview.js'
import { createPollStates } from '../poll-states.js'
import { createOpenRfqsDue } from '../rfq-index.js'
import { createRunQueries } from '../run-queries.js'
import { createHistory } from './history.js'
import { rejectUnfinishedCopy, requireCurrentSchema } from './migrate.js'
import { PostgresDatabase } from './postgres-database.js'
import { parsePostgresUrl } from './postgres-url.js'
import { createPresentRfqs } from './present-rfqs.js'

/**
 * Opens a few connections that can only read.
 * @throws UnusableDatabaseError; StoreError if the database cannot be reached
 */
export async function openPostgresReader(url: string, { connections = 2 } = {}): Promise<Reader> {
  const database = new PostgresDatabase(parsePostgresUrl(url), { connections, readOnly: true })
  try {
    await requireCurrentSchema(database)
    await rejectUnfinishedCopy(database)
  } catch (error) {
    await database.close()
    throw error
  }
  const presentRfqs = createPresentRfqs(database)
  return {
    ...createRunQueries(database),
    ...createPollStates(database),
    ...createHistory(database),
    ...createOverview(database),
    ...createClosings(database, createEventWriter(database)),
    ...createDeliveries(database),
    ...createMonitoring(database, presentRfqs),
    openRfqsDue: createOpenRfqsDue(presentRfqs),
    async sizes() {
      const row = await database.get<{ bytes: number }>('select pg_database_size(current_database()) as bytes')
      return { database: row?.bytes ?? 0, wal: 0 }
    },
    close: () => database.close(),
  }
}
