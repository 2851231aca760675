import type { Reader } from '../contract.js'
import { createHistory } from '../documents/queries/history.js'
import { createSharedQueries } from '../shared-modules.js'
import { PostgresDatabase } from './postgres-database.js'
import { requireSchema } from './postgres-schema.js'
import { parsePostgresUrl } from './postgres-url.js'

/**
 * Opens a few read-only connections.
 * @param options.checked skips the check of the schema, because this process has opened the database before
 * @throws UnusableDatabaseError; StoreError if the database cannot be reached
 */
export async function openPostgresReader(url: string, { checked = true } = {}): Promise<Reader> {
  const database = new PostgresDatabase(parsePostgresUrl(url), { connections: 2, readOnly: true })
  if (!checked)
    await requireSchema(database).catch(async (error) => {
      await database.close()
      throw error
    })
  return {
    ...createSharedQueries(database),
    ...createHistory(database, (...query) => database.stream(...query)),
    async sizes() {
      const row = await database.get<{ bytes: number }>('select pg_database_size(current_database()) as bytes')
      return { database: row?.bytes ?? 0, wal: 0 }
    },
    close: () => database.close(),
  }
}
