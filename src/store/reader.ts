import { createClosings } from './closings.js'
import { Connection } from './connection.js'
import type { Reader } from './contract.js'
import { createDeliveries } from './deliveries.js'
import { createEventWriter } from './event-writer.js'
import { createHistory } from './history.js'
import { createMonitoring } from './monitoring.js'
import { createOverview } from './overview.js'
import { createRunQueries } from './run-queries.js'

/**
 * Opens another connection to a database that this process has open; it can only read.
 * @throws UnusableDatabaseError
 */
export async function openReader(path: string): Promise<Reader> {
  const connection = await Connection.openReadOnly(path, async () => undefined)
  return {
    ...createRunQueries(connection),
    ...createHistory(connection),
    ...createOverview(connection),
    ...createClosings(connection, createEventWriter(connection)),
    ...createDeliveries(connection),
    ...createMonitoring(connection),
    close: () => connection.close(),
  }
}
