import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { StoreError } from '../errors.js'
import { connect, type Sqlite } from '../sqlite/connection.js'
import { PAGE_SIZE } from '../sqlite/sqlite.js'
import { toStoreError } from '../sqlite/sqlite-errors.js'
import { rejectInUse } from './restore.js'

/** Each table and index has a page of its own, which would make a smaller file larger. */
const MIN_BYTES_FOR_LARGE_PAGES = 8 * 2 ** 20

/**
 * Gives the unused pages of the file back to the disk, and a larger file the page size of new ones. SQLite rewrites the file in one
 * transaction, so that a crash or a full disk changes nothing. It takes about as much free space as the data, or up to twice
 * as much if that does not fit in memory meanwhile.
 * @throws StoreError while a process uses the database, this one included, or if the space is not enough
 */
export function compactDatabase(path: string): { before: number; after: number } {
  const before = statSync(path).size
  rejectInUse(path, 'The file was not compacted.')
  let db: Sqlite | undefined
  try {
    db = connect(path)
    // The size of pages can change only without a write-ahead log.
    db.pragma('journal_mode = delete')
    if (before >= MIN_BYTES_FOR_LARGE_PAGES) db.pragma(`page_size = ${PAGE_SIZE}`)
    db.exec('vacuum')
    db.pragma('journal_mode = wal')
  } catch (error) {
    // SQLite has given back the space that it took.
    if (db && error instanceof Database.SqliteError && error.code === 'SQLITE_FULL') throw spaceError(db, error)
    throw toStoreError(error, path)
  } finally {
    db?.close()
  }
  return { before, after: statSync(path).size }
}

/** How much it takes depends on where the unused pages are, so that it is not known before. */
function spaceError(db: Sqlite, cause: Error): StoreError {
  const data = dataBytes(db)
  return new StoreError(
    `The disk has not enough free space to compact ${db.name}: it takes about ${megabytes(data)} to ${megabytes(2 * data)}, and ` +
      `${megabytes(freeBytes(db))} are free in ${dirname(db.name)}. The file was not compacted. Free some space, or set SQLITE_TMPDIR ` +
      'to a folder on another disk, which then takes half of it.',
    { cause },
  )
}

/** Without the unused pages. */
const dataBytes = (db: Sqlite): number => {
  const [pages, unused, size] = ['page_count', 'freelist_count', 'page_size'].map(
    (name) => db.pragma(name, { simple: true }) as number,
  ) as [number, number, number]
  return (pages - unused) * size
}

function freeBytes({ name }: Sqlite): number {
  const { bavail, bsize } = statfsSync(dirname(name))
  return bavail * bsize
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
