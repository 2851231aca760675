import Database from 'better-sqlite3'

export type Sqlite = Database.Database

/** SQLite's busy timeout, which blocks the thread, in milliseconds. */
const MAX_BLOCKING_WAIT_MS = 50

/** Of new files, in bytes. Documents of about 2 KB leave less of larger pages unused. */
export const PAGE_SIZE = 16384

/**
 * Opens another connection to a file in use.
 * @throws SQLITE_BUSY while another process opens the file first or closes it last
 */
export function connect(path: string): Sqlite {
  const db = new Database(path, { timeout: MAX_BLOCKING_WAIT_MS })
  try {
    // Not stored in the file, so it is set for each connection.
    db.pragma('synchronous = full')
    db.pragma('foreign_keys = on')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Of the file, in bytes. */
export const pageSize = (db: Sqlite): number => db.pragma('page_size', { simple: true }) as number
