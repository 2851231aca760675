import { randomUUID } from 'node:crypto'
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { makeFolder } from '../../make-folder.js'
import { MissingDatabaseError, StoreError } from '../errors.js'
import { describeOtherSchema, readSchema, SCHEMA_NUMBER } from '../schema/schema.js'
import { IDENTITY_KEY } from '../sql/meta.js'
import { isBusy, restoreRemedy, toStoreError } from './sqlite-errors.js'

export type Sqlite = Database.Database

/** Marks a file as a Quotekeeper database: "QKpr". */
const APPLICATION_ID = 0x514b7072

/** How long a connection waits for the lock of another process, in milliseconds. */
const MAX_BUSY_WAIT_MS = 5000
/** How long SQLite itself waits when a file is opened or read, which blocks the thread, in milliseconds. */
const MAX_BLOCKING_WAIT_MS = 50
/** The page size of new files, in bytes. Larger pages waste less space with documents of about 2 KB. */
const PAGE_SIZE = 16384
/** Pages (4 MiB) that block the thread: those of the log that are checkpointed at once, or that a backup copies at once. */
export const PAGES_PER_STEP = 256
/** Less than the default of 16 MiB, which takes 50 in the end; the operating system caches the file too. */
const CACHE_KIB = 4096

/** Opens a connection. @throws SQLITE_BUSY while another process opens the file as the first, or closes it as the last */
export function connect(path: string, options: Database.Options = {}): Sqlite {
  const db = new Database(path, { timeout: MAX_BLOCKING_WAIT_MS, ...options })
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

/**
 * Opens a file: for reading, or for writing, with a write-ahead log, after it was checked for damage. Creates the tables in an empty one.
 * @param options.create creates a missing file (mode 0600, its folder 0700), which is otherwise an error
 * @throws StoreError, MissingDatabaseError; nothing is changed then
 */
export async function openFile(path: string, { readOnly = false, create = true }): Promise<Sqlite> {
  const found = statSync(path, { throwIfNoEntry: false })
  // SQLite would report an I/O error.
  if (found?.isDirectory()) throw new StoreError(`${path} is a folder, but a file is needed: choose another path`)
  const mayBeEmpty = create && !readOnly
  if (!mayBeEmpty && !found?.size) throw emptyDatabase(path)
  let db: Sqlite | undefined
  try {
    if (!readOnly) createPrivateFile(path)
    db = await retryWhileBusy(() => connect(path, { readonly: readOnly }))
    await prepare(db, { readOnly, mayBeEmpty })
    return db
  } catch (error) {
    db?.close()
    throw toStoreError(error, path)
  }
}

async function prepare(db: Sqlite, { readOnly, mayBeEmpty }: { readOnly: boolean; mayBeEmpty: boolean }) {
  const isEmpty = !(await retryWhileBusy(() => hasSchema(db)))
  if (isEmpty && !mayBeEmpty) throw emptyDatabase(db.name)
  db.pragma(`cache_size = -${CACHE_KIB}`)
  if (readOnly) return
  if (!isEmpty) rejectDamaged(db)
  db.pragma(`page_size = ${PAGE_SIZE}`)
  await retryWhileBusy(() => db.pragma('journal_mode = wal'))
  if (isEmpty) await retryWhileBusy(() => createSchema(db))
  db.pragma(`wal_autocheckpoint = ${PAGES_PER_STEP}`)
  // Transactions wait for other processes without blocking the thread.
  db.pragma('busy_timeout = 0')
}

const emptyDatabase = (path: string) =>
  new MissingDatabaseError(`There is no database at ${path}. Create it with: quotekeeper sync (or quotekeeper start).`)

/** Retries without blocking the thread while another process holds the lock, for five seconds. */
export async function retryWhileBusy<T>(attempt: () => T): Promise<T> {
  const deadline = performance.now() + MAX_BUSY_WAIT_MS
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      // Short pauses, because another process may release the lock only briefly.
      await wait(1 + Math.random() * 9)
    }
  }
}

/** Creates a missing file that only its owner can read, with its folder. */
export function createPrivateFile(path: string): void {
  if (existsSync(path)) {
    // SQLite would open a file that cannot be written without an error.
    accessSync(path, constants.W_OK)
    return
  }
  makeFolder(dirname(path))
  closeSync(openSync(path, 'a', 0o600))
}

/** Whether a file has the schema of this Quotekeeper; false if it is empty. @throws StoreError */
function hasSchema(db: Sqlite): boolean {
  const { id, number, tables } = db
    .prepare(
      `select i.application_id as id, v.user_version as number, (select count(*) from sqlite_schema) as tables
      from pragma_application_id i, pragma_user_version v`,
    )
    .get() as { id: number; number: number; tables: number }
  if (id === 0 && number === 0 && tables === 0) return false
  if (id !== APPLICATION_ID)
    throw new StoreError(
      `${db.name} is a database of another program. Set "database" in the configuration to another file.`,
    )
  if (number !== SCHEMA_NUMBER) throw new StoreError(describeOtherSchema(db.name))
  return true
}

/** In one transaction, unless another process has created it meanwhile. */
function createSchema(db: Sqlite): void {
  db.transaction(() => {
    if (hasSchema(db)) return
    db.exec(readSchema('sqlite'))
    db.prepare('insert into meta (key, value) values (?, ?)').run(IDENTITY_KEY, randomUUID())
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${SCHEMA_NUMBER}`)
  }).immediate()
}

function rejectDamaged(db: Sqlite): void {
  const found = db.pragma('quick_check(1)', { simple: true })
  if (found === 'ok') return
  throw new StoreError(`The database is damaged: ${db.name} (${found}). Nothing was changed. ${restoreRemedy(db.name)}`)
}
