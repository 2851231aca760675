import Database from 'better-sqlite3'

export type Sqlite = Database.Database

/** SQLite's busy timeout, which blocks the thread, in milliseconds. */
const MAX_BLOCKING_WAIT_MS = 50

/** The page size of new files, in bytes. Larger pages waste less space with documents of about 2 KB. */
export const PAGE_SIZE = 16384

/**
 * Opens a connection.
 * @throws SQLITE_BUSY while another process opens the file as the first, or closes it as the last
 */
export function connect(path: string): Sqlite {
  const db = new Database(path, { timeout: MAX_BLOCKING_WAIT_MS })
  try {
    // Settings of the connection, which the file does not store.
    db.pragma('synchronous = full')
    db.pragma('foreign_keys = on')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** The page size of the file, in bytes. */
export const pageSize = (db: Sqlite): number => db.pragma('page_size', { simple: true }) as number
