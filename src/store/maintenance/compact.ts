import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { StoreError } from '../errors.js'
import { connect, type Sqlite } from '../sqlite/connection.js'
import { PAGE_SIZE } from '../sqlite/sqlite.js'
import { toStoreError } from '../sqlite/sqlite-errors.js'
import { assertNotInUse } from './restore.js'

/** A smaller file keeps its page size: each table and index takes at least one page, so that large pages would make it larger. */
const MIN_BYTES_FOR_LARGE_PAGES = 8 * 2 ** 20

/**
 * Frees the unused pages of the file, and gives a large file the current page size. SQLite rewrites the file in one transaction, so that a
 * crash or a full disk changes nothing. This needs about as much free space as the data, or twice as much if the data does not fit in memory.
 * @throws StoreError while any process, including this one, uses the database, or if there is not enough space
 */
export function compactDatabase(path: string): { before: number; after: number } {
  const before = statSync(path).size
  assertNotInUse(path, 'The file was not compacted.')
  let db: Sqlite | undefined
  try {
    db = connect(path)
    // The page size can change only without a write-ahead log.
    db.pragma('journal_mode = delete')
    if (before >= MIN_BYTES_FOR_LARGE_PAGES) db.pragma(`page_size = ${PAGE_SIZE}`)
    db.exec('vacuum')
    db.pragma('journal_mode = wal')
  } catch (error) {
    // SQLite has freed the space that it used.
    if (db && error instanceof Database.SqliteError && error.code === 'SQLITE_FULL') throw spaceError(db, error)
    throw toStoreError(error, path)
  } finally {
    db?.close()
  }
  return { before, after: statSync(path).size }
}

/** An error with the expected need of space, which depends on the position of the unused pages and is not known before. */
function spaceError(db: Sqlite, cause: Error): StoreError {
  const data = dataBytes(db)
  return new StoreError(
    `The disk does not have enough free space to compact ${db.name}: it needs about ${megabytes(data)} to ${megabytes(2 * data)}, and ` +
      `${megabytes(freeBytes(db))} are free in ${dirname(db.name)}. The file was not compacted. Free some space, or set SQLITE_TMPDIR ` +
      'to a folder on another disk, which then takes half of it.',
    { cause },
  )
}

/** The size without the unused pages. */
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
