import { statSync } from 'node:fs'
import type { Reader } from '../contract.js'
import { createHistory } from '../documents/queries/history.js'
import { createSharedQueries } from '../shared-modules.js'
import { Connection } from './connection.js'
import { requireFile } from './read-only.js'
import { sqliteDatabase, streamRows } from './sqlite-database.js'
import { rejectOtherSchema } from './sqlite-schema.js'

/**
 * Opens a read-only connection.
 * @param options.checked skips the check of the schema, because this process has the database open
 * @throws UnusableDatabaseError
 */
export async function openReader(path: string, { checked = true } = {}): Promise<Reader> {
  if (!checked) requireFile(path)
  const connection = await Connection.openReadOnly(path, async (db) => {
    if (!checked) rejectOtherSchema(db)
  })
  const database = sqliteDatabase(connection)
  return {
    ...createSharedQueries(database),
    ...createHistory(database, streamRows(connection)),
    async sizes() {
      const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
      return { database: size(connection.path), wal: size(`${connection.path}-wal`) }
    },
    close: () => connection.close(),
  }
}
