import { randomUUID } from 'node:crypto'
import { chmodSync, chownSync, closeSync, openSync, realpathSync, rmSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { Clock } from '../core/clock.js'
import { claimShare, emptyLedger, isLedgerState, type LedgerState, type RequestLedger } from '../core/request-ledger.js'
import { retryWhileBusy, type Sqlite } from './connection.js'
import { hasEnded, hostIdentity } from './process-alive.js'
import { toStoreError } from './sqlite-errors.js'

/** SQLite's busy timeout, which blocks the thread, in milliseconds. */
const MAX_BLOCKING_WAIT_MS = 10

/** The file of the ledgers is beside the database. */
const LEDGER_SUFFIX = '-requests'

/** Time since this machine started, which is the same in all of its processes and which nobody sets. */
export const machineClock: Clock = () => new Date(Number(process.hrtime.bigint() / 1_000_000n))

/** Opens the ledgers of the marketplaces that are used with one database. Their file is opened at the first claim. */
export function createRequestLedgers(database: string, clock: Clock) {
  const file = new LedgerFile(database)
  const host = hostIdentity()
  return {
    ledger(origin: string): RequestLedger {
      const id = `${host}|${process.pid}|${randomUUID()}`
      const isGone = (other: string) => hasEnded(other, host)
      return {
        claim: (report) => file.update(origin, clock, (state, now) => claimShare(state, { id, report, now, isGone })),
      }
    },
    close: () => file.close(),
  }
}

interface OpenLedger {
  db: Sqlite
  read: Database.Statement
  write: Database.Statement
  path: string
  inode: bigint | null
}

type Update<T> = (state: LedgerState, now: number) => { state: LedgerState; share: T }

/**
 * A small SQLite file of its own, so that no request waits for a long write transaction of the database. What it holds is
 * of use for seconds only: nothing is flushed to disk, and a file that is missing or damaged is replaced.
 */
class LedgerFile {
  readonly #database: string
  #open: OpenLedger | null = null
  /** The file that `#connect` could not open. */
  #failedInode: bigint | null = null
  /** A ledger was lost that may hold requests of the last second. */
  #lost = false

  constructor(database: string) {
    this.#database = database
  }

  /** Waits up to five seconds while another program locks the file. Errors: StoreError. */
  async update<T>(origin: string, clock: Clock, apply: Update<T>): Promise<T> {
    try {
      return await retryWhileBusy(() => {
        try {
          return this.#transaction(origin, clock, apply)
        } catch (error) {
          if (!isUnusable(error)) throw error
          this.#removeDamaged()
          return this.#transaction(origin, clock, apply)
        }
      })
    } catch (error) {
      throw toStoreError(error, this.#path())
    }
  }

  close(): void {
    this.#open?.db.close()
    this.#open = null
  }

  #transaction<T>(origin: string, clock: Clock, apply: Update<T>): T {
    const { db, read, write } = this.#connect()
    db.exec('begin immediate')
    try {
      const now = clock().getTime()
      const { state, share } = apply(this.#parse(read.get(origin) as string | undefined, now), now)
      write.run(origin, JSON.stringify(state))
      db.exec('commit')
      this.#lost = false
      return share
    } catch (error) {
      if (db.inTransaction) db.exec('rollback')
      throw error
    }
  }

  #parse(text: string | undefined, now: number): LedgerState {
    if (text === undefined) return emptyLedger(now, { unknownStarts: this.#lost })
    try {
      const state = JSON.parse(text)
      if (isLedgerState(state)) return state
    } catch {
      // Written only in part.
    }
    return emptyLedger(now, { unknownStarts: true })
  }

  /** The open file, unless it was deleted or replaced since. */
  #connect(): OpenLedger {
    if (this.#open) {
      if (inodeOf(this.#open.path) === this.#open.inode) return this.#open
      this.close()
      this.#lost = true
    }
    const path = this.#path()
    createLike(this.#database, path)
    const inode = inodeOf(path)
    const db = new Database(path, { timeout: MAX_BLOCKING_WAIT_MS })
    try {
      // Without a journal file and without flushing: a crash may lose or damage the file, which is harmless.
      db.pragma('journal_mode = memory')
      db.pragma('synchronous = off')
      db.exec('create table if not exists ledgers (origin text primary key, state text not null) without rowid')
      const read = db.prepare('select state from ledgers where origin = ?').pluck()
      const write = db.prepare('insert or replace into ledgers values (?, ?)')
      this.#open = { db, read, write, path, inode }
    } catch (error) {
      db.close()
      this.#failedInode = inode
      throw error
    }
    return this.#open
  }

  #removeDamaged(): void {
    const path = this.#path()
    const damaged = this.#open?.inode ?? this.#failedInode
    this.close()
    this.#lost = true
    // Another process may have replaced it meanwhile.
    if (inodeOf(path) === damaged) rmSync(path, { force: true })
  }

  /** Beside the database itself, to whichever name the process was pointed: like its write-ahead log. */
  #path(): string {
    try {
      return realpathSync(this.#database) + LEDGER_SUFFIX
    } catch {
      return this.#database + LEDGER_SUFFIX
    }
  }
}

/** Damaged, emptied (its table is gone), or deleted at this moment. */
const isUnusable = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB|ERROR$|READONLY_DBMOVED)/.test(error.code)

const inodeOf = (path: string): bigint | null => statSync(path, { throwIfNoEntry: false, bigint: true })?.ino ?? null

/** Creates a file with the owner and the permissions of another, so that all processes that use that one can use it. */
function createLike(model: string, path: string): void {
  if (inodeOf(path) !== null) return
  closeSync(openSync(path, 'a', 0o600))
  const { mode, uid, gid } = statSync(model)
  chmodSync(path, mode & 0o666)
  if (process.getuid?.() === 0) chownSync(path, uid, gid)
}
