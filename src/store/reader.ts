import { statSync } from 'node:fs'
import { createClosings } from './closings.js'
import { Connection } from './connection.js'
import type { Reader } from './contract.js'
import { createDeliveries } from './deliveries.js'
import { createEventWriter } from './event-writer.js'
import { createHistory } from './history.js'
import { requireCurrentSchema } from './migrate.js'
import { createMonitoring } from './monitoring.js'
import { createOverview } from './overview.js'
import { createPollStates } from './poll-states.js'
import { requireFile } from './read-only.js'
import { createOpenRfqsDue, createRfqIndex } from './rfq-index.js'
import { createRunQueries } from './run-queries.js'
import { sqliteDatabase } from './sqlite-database.js'

/**
 * Opens a connection that can only read.
 * @param options.checked this process has the database open, so that its schema is known to be that of this program
 * @throws UnusableDatabaseError
 */
export async function openReader(path: string, { checked = true } = {}): Promise<Reader> {
  if (!checked) requireFile(path)
  const connection = await Connection.openReadOnly(path, async (db) => {
    if (!checked) requireCurrentSchema(db)
  })
  const database = sqliteDatabase(connection)
  const presentRfqs = createRfqIndex(connection)
  return {
    ...createRunQueries(database),
    ...createPollStates(database),
    ...createHistory(connection),
    ...createOverview(database),
    ...createClosings(database, createEventWriter(database)),
    ...createDeliveries(database),
    ...createMonitoring(database, presentRfqs),
    openRfqsDue: createOpenRfqsDue(presentRfqs),
    async sizes() {
      const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
      return { database: size(connection.path), wal: size(`${connection.path}-wal`) }
    },
    close: () => connection.close(),
  }
}
