import type { Reader } from '../contract.js'
import { createSharedQueries } from '../shared-modules.js'
import { createHistory } from './history.js'
import { rejectUnfinishedCopy, requireCurrentSchema } from './migrate.js'
import { PostgresDatabase } from './postgres-database.js'
import { parsePostgresUrl } from './postgres-url.js'

/** Connections of a thread that reads. */
const CONNECTIONS = 2

/**
 * Opens a few connections that can only read.
 * @param options.checked this process has the database open, so that its schema was that of this program; during a rolling update it may
 *   be a newer one by now, which only has more
 * @throws UnusableDatabaseError; StoreError if the database cannot be reached
 */
export async function openPostgresReader(url: string, { checked = true } = {}): Promise<Reader> {
  const database = new PostgresDatabase(parsePostgresUrl(url), { connections: CONNECTIONS, readOnly: true })
  try {
    if (!checked) {
      await requireCurrentSchema(database)
      await rejectUnfinishedCopy(database)
    }
  } catch (error) {
    await database.close()
    throw error
  }
  return {
    ...createSharedQueries(database),
    ...createHistory(database),
    async sizes() {
      const row = await database.get<{ bytes: number }>('select pg_database_size(current_database()) as bytes')
      return { database: row?.bytes ?? 0, wal: 0 }
    },
    close: () => database.close(),
  }
}
