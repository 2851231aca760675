import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait, setImmediate as yieldToEventLoop } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { makeFolder } from '../make-folder.js'
import { isBusy, toStoreError } from './sqlite-errors.js'

export type Sqlite = Database.Database

/** How long a writer waits for the lock of another process, in milliseconds. */
const MAX_BUSY_WAIT_MS = 5000
/** SQLite's busy timeout, which blocks the thread, in milliseconds. */
const MAX_BLOCKING_WAIT_MS = 50
/** Small, because the operating system caches the file too; a report on a large RFQ would fill the default 16 MiB. */
const READER_CACHE_KIB = 4096

/**
 * A database file with one connection for reading and one for writing, which runs one transaction at a time.
 * A write transaction may yield to the event loop, so that a large one does not block it.
 */
export class Connection {
  readonly reader: Sqlite
  readonly #writer: Sqlite
  #last: Promise<unknown> = Promise.resolve()
  readonly #statements = new Map<string, Database.Statement>()

  private constructor(
    readonly path: string,
    writer: Sqlite,
    reader: Sqlite,
  ) {
    this.#writer = writer
    this.reader = reader
  }

  /** Opens or creates the file (0600, folder 0700). Errors: UnusableDatabaseError. */
  static async open(path: string, prepare: (writer: Sqlite) => Promise<void>): Promise<Connection> {
    let writer: Sqlite | undefined
    try {
      createPrivateFile(path)
      writer = connect(path)
      const opened = writer
      await retryWhileBusy(() => opened.pragma('journal_mode = wal'))
      await prepare(opened)
      const reader = connect(path)
      reader.pragma('query_only = on')
      reader.pragma(`cache_size = -${READER_CACHE_KIB}`)
      return new Connection(path, opened, reader)
    } catch (error) {
      writer?.close()
      throw toStoreError(error, path)
    }
  }

  /** A cached prepared statement of the writing connection. Use only within `write`. */
  statement(sql: string): Database.Statement {
    let found = this.#statements.get(sql)
    if (!found) {
      found = this.#writer.prepare(sql)
      this.#statements.set(sql, found)
    }
    return found
  }

  /**
   * Runs one transaction (BEGIN IMMEDIATE; the commit is synced to disk), after those before it have ended.
   * @param work may await `yieldToEventLoop`; an error rolls the transaction back
   */
  write<T>(work: () => Promise<T> | T): Promise<T> {
    const result = this.#last.then(() => this.#transaction(work))
    this.#last = result.catch(() => undefined)
    return result
  }

  async #transaction<T>(work: () => Promise<T> | T): Promise<T> {
    try {
      await retryWhileBusy(() => this.#writer.exec('begin immediate'))
      const result = await work()
      await retryWhileBusy(() => this.#writer.exec('commit'))
      return result
    } catch (error) {
      if (this.#writer.inTransaction) this.#writer.exec('rollback')
      throw toStoreError(error, this.path)
    }
  }

  /** Runs queries, converting errors with `toStoreError`. */
  read<T>(work: (reader: Sqlite) => T): T {
    try {
      return work(this.reader)
    } catch (error) {
      throw toStoreError(error, this.path)
    }
  }

  /** Waits for pending transactions, then closes. */
  async close(): Promise<void> {
    await this.#last
    this.reader.close()
    this.#writer.close()
  }
}

/** Call between parts of long work. */
export { yieldToEventLoop }

/** Opens another connection to a file in use. */
export function connect(path: string): Sqlite {
  const db = new Database(path, { timeout: MAX_BLOCKING_WAIT_MS })
  // Not stored in the file, so it is set for each connection.
  db.pragma('synchronous = full')
  db.pragma('foreign_keys = on')
  return db
}

function createPrivateFile(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
}

/** Repeats an attempt for up to five seconds while another process holds the lock, without blocking the thread. */
export async function retryWhileBusy<T>(attempt: () => T): Promise<T> {
  const deadline = performance.now() + MAX_BUSY_WAIT_MS
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
      await wait(5 + Math.random() * 20)
    }
  }
}
