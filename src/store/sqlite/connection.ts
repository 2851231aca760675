import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait, setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import { makeFolder } from '../../make-folder.js'
import { UnusableDatabaseError } from '../errors.js'
import { createLogFlush } from './log-flush.js'
import { openReadOnly } from './read-only.js'
import { connect, PAGE_SIZE, pageSize, type Sqlite } from './sqlite.js'
import { isBusy, toStoreError } from './sqlite-errors.js'
import { WriteQueue } from './write-queue.js'

/** How long a writer waits for the lock of another process, in milliseconds. */
const MAX_BUSY_WAIT_MS = 5000
/** Less than the default of 16 MiB, which a report on a large RFQ would fill; the operating system caches the file too. */
const READER_CACHE_KIB = 4096
/** The size at which the write-ahead log is checkpointed into the file, which blocks the thread. */
const CHECKPOINT_BYTES = 4 * 2 ** 20

/**
 * A database file with one connection for reading and one for writing. There is one write transaction at a time; it may yield to the event
 * loop, so that a large one does not block it.
 */
export class Connection {
  readonly reader: Sqlite
  /** Null if the database was opened for reading only. */
  readonly #writer: Sqlite | null
  readonly #release: () => void
  readonly #writes: WriteQueue
  readonly #statements = new Map<string, Database.Statement>()
  readonly #readStatements = new Map<string, Database.Statement>()

  private constructor(
    readonly path: string,
    writer: Sqlite | null,
    reader: Sqlite,
    { flush, release }: { flush: () => Promise<void>; release: () => void },
  ) {
    this.#writer = writer
    this.reader = reader
    this.#release = release
    this.#writes = new WriteQueue({
      writer: () => this.#requireWriter(),
      retryWhileBusy,
      flush,
      toError: (error) => toStoreError(error, path),
    })
  }

  /**
   * Opens or creates the file (mode 0600, its folder 0700).
   * @param steps.inspect throws unless the file may be changed
   * @param steps.prepare checks the database and creates its schema
   * @throws UnusableDatabaseError
   */
  static async open(
    path: string,
    { inspect, prepare }: { inspect: (writer: Sqlite) => void; prepare: (writer: Sqlite) => Promise<void> },
  ): Promise<Connection> {
    let writer: Sqlite | undefined
    try {
      createPrivateFile(path)
      const opened = await retryWhileBusy(() => connect(path))
      writer = opened
      await retryWhileBusy(() => inspect(opened))
      opened.pragma(`page_size = ${PAGE_SIZE}`)
      const mode = await retryWhileBusy(() => opened.pragma('journal_mode = wal', { simple: true }))
      await prepare(opened)
      // With a write-ahead log, this process flushes commits itself, because SQLite would block the thread.
      const isFlushedHere = mode === 'wal'
      if (isFlushedHere) opened.pragma('synchronous = normal')
      // So that savepoints do not copy pages to a temporary file.
      opened.pragma('temp_store = memory')
      opened.pragma(`wal_autocheckpoint = ${CHECKPOINT_BYTES / pageSize(opened)}`)
      const reader = await retryWhileBusy(() => connect(path))
      reader.pragma('query_only = on')
      reader.pragma(`cache_size = -${READER_CACHE_KIB}`)
      return new Connection(path, opened, reader, {
        flush: isFlushedHere ? createLogFlush(path) : async () => undefined,
        release: () => {
          reader.close()
          opened.close()
        },
      })
    } catch (error) {
      writer?.close()
      throw toStoreError(error, path)
    }
  }

  /**
   * Opens a file for reading only.
   * @throws UnusableDatabaseError
   */
  static async openReadOnly(path: string, prepare: (db: Sqlite) => Promise<void>): Promise<Connection> {
    try {
      const { reader, release } = await openReadOnly(path, prepare)
      return new Connection(path, null, reader, { flush: async () => undefined, release })
    } catch (error) {
      throw toStoreError(error, path)
    }
  }

  /** A cached prepared statement of the writing connection. Use only within `write`. */
  statement(sql: string): Database.Statement {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#requireWriter().prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  /** A cached prepared statement of the reading connection. Run it within `read`. */
  readStatement(sql: string): Database.Statement {
    let statement = this.#readStatements.get(sql)
    if (!statement) {
      statement = this.reader.prepare(sql)
      this.#readStatements.set(sql, statement)
    }
    return statement
  }

  /**
   * Runs a write in a transaction (BEGIN IMMEDIATE) after all earlier writes; resolves when it is flushed to disk. Writes that wait at the
   * same time share a transaction (write-queue.ts).
   * @param work may await `yieldToEventLoop`; an error rolls back what it wrote
   */
  write<T>(work: () => Promise<T> | T): Promise<T> {
    return this.#writes.add(work)
  }

  /**
   * Takes the write lock, writes in a transaction and rolls it back; does nothing while this process is writing.
   * @throws StoreError if another process holds the lock for longer than `maxWaitMs`
   */
  async probeWrite(maxWaitMs: number): Promise<void> {
    const writer = this.#requireWriter()
    try {
      await retryWhileBusy(() => {
        if (!writer.inTransaction) tryToWrite(writer)
      }, maxWaitMs)
    } catch (error) {
      throw toStoreError(error, this.path)
    }
  }

  #requireWriter(): Sqlite {
    if (this.#writer) return this.#writer
    throw new UnusableDatabaseError(
      `The database ${this.path} cannot be written; it was opened for reading only. Check that this user may write to ` +
        'the file and its folder, and that the disk is neither full nor mounted read-only.',
    )
  }

  /** Runs queries, and converts errors with `toStoreError`. */
  read<T>(work: (reader: Sqlite) => T): T {
    try {
      return work(this.reader)
    } catch (error) {
      throw toStoreError(error, this.path)
    }
  }

  /** Waits for pending transactions, then closes. */
  async close(): Promise<void> {
    await this.#writes.flush()
    this.#release()
  }
}

/** Call `yieldToEventLoop` between batches of a long transaction, so that it does not block the event loop. */
export { connect, type Sqlite, yieldToEventLoop }

/**
 * Writes in a transaction and rolls it back.
 * @throws the error of SQLite
 */
export function tryToWrite(db: Sqlite): void {
  db.exec('begin immediate')
  try {
    db.exec("insert into meta values ('write test', '')")
  } finally {
    if (db.inTransaction) db.exec('rollback')
  }
}

function createPrivateFile(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
}

/** Retries while another process holds the lock, by default for five seconds, without blocking the thread. */
export async function retryWhileBusy<T>(attempt: () => T, maxWaitMs = MAX_BUSY_WAIT_MS): Promise<T> {
  const deadline = performance.now() + maxWaitMs
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
