import { statSync } from 'node:fs'
import { connect, type Sqlite } from './connection.js'
import { rejectInUse } from './restore.js'
import { PAGE_SIZE } from './sqlite.js'
import { toStoreError } from './sqlite-errors.js'

/** Each table and index has a page of its own, which would make a smaller file larger. */
const MIN_BYTES_FOR_LARGE_PAGES = 8 * 2 ** 20

/**
 * Gives the unused pages of the file back to the disk, and a larger file the page size of new ones. SQLite rewrites the file in one
 * transaction, so that a crash or a full disk changes nothing; it needs as much free space as the data takes, twice.
 * @throws StoreError while a process uses the database, this one included, or if the space is not enough
 */
export function compactDatabase(path: string): { before: number; after: number } {
  const before = statSync(path).size
  rejectInUse(path)
  let db: Sqlite | undefined
  try {
    db = connect(path)
    // The size of pages can change only without a write-ahead log.
    db.pragma('journal_mode = delete')
    if (before >= MIN_BYTES_FOR_LARGE_PAGES) db.pragma(`page_size = ${PAGE_SIZE}`)
    db.exec('vacuum')
    db.pragma('journal_mode = wal')
  } catch (error) {
    throw toStoreError(error, path)
  } finally {
    db?.close()
  }
  return { before, after: statSync(path).size }
}
