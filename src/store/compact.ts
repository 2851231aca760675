import { statSync } from 'node:fs'
import { connect, type Sqlite } from './connection.js'
import { rejectInUse } from './restore.js'
import { toStoreError } from './sqlite-errors.js'

/**
 * Gives the unused pages of the file back to the disk. SQLite rewrites the file in one transaction, so that a crash or a
 * full disk changes nothing; it needs as much free space as the data takes, twice.
 * @throws StoreError while a process uses the database, this one included, or if the space is not enough
 */
export function compactDatabase(path: string): { before: number; after: number } {
  const before = statSync(path).size
  rejectInUse(path)
  let db: Sqlite | undefined
  try {
    db = connect(path)
    db.exec('vacuum')
    db.pragma('wal_checkpoint(truncate)')
  } catch (error) {
    throw toStoreError(error, path)
  } finally {
    db?.close()
  }
  return { before, after: statSync(path).size }
}
