import { chmodSync, chownSync, closeSync, openSync, realpathSync, rmSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import {
  claimStarts,
  type LedgerRow,
  type RequestLedger,
  type StartClaim,
  type StartGrant,
} from '../../core/requests/request-ledger.js'
import type { Clock } from '../../core/time/clock.js'
import { toStoreError } from './sqlite-errors.js'
import { retryWhileBusy } from './sqlite-file.js'

/** SQLite's busy timeout, which blocks the thread, in milliseconds. */
const MAX_BLOCKING_WAIT_MS = 10

/** The pause after a ledger was lost, because requests that it granted may still start, in milliseconds. */
const FORGOTTEN_MS = 1200

/** Time since this machine started: the same in all of its processes, and not affected by setting the clock. */
export const machineClock: Clock = () => new Date(Number(process.hrtime.bigint() / 1_000_000n))

const CREATE = `
create table if not exists request_limits (
  origin text primary key,
  next_at real not null,
  paused_until real not null,
  claimed_at real not null
) strict, without rowid`
const SELECT = `
select next_at as "nextAt", paused_until as "pausedUntil", claimed_at as "claimedAt" from request_limits where origin = ?`
const SAVE = 'insert or replace into request_limits (origin, next_at, paused_until, claimed_at) values (?, ?, ?, ?)'

/**
 * The request ledgers of a database, one for each marketplace, in a separate small SQLite file, so that requests do not wait for a long
 * write transaction of the database. Its content is valid for seconds only, so nothing is flushed to disk, and a missing or damaged file
 * is replaced.
 */
export class RequestLedgerFile {
  readonly #database: string
  readonly #clock: Clock
  #open: ReturnType<typeof openLedger> | null = null
  #lostAt = Number.NEGATIVE_INFINITY
  #path: string | null = null

  constructor(database: string, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  /** The ledger of a marketplace. A claim waits up to five seconds while another program locks the file. */
  ledger(origin: string): RequestLedger {
    return {
      claim: async (claim) => {
        // In the folder of the real database file, even if the database is opened through a link, like the write-ahead log.
        this.#path ??= `${realpathSync(this.#database)}-requests`
        const path = this.#path
        try {
          return await retryWhileBusy(() => this.#claim(path, origin, claim))
        } catch (error) {
          throw toStoreError(error, path)
        }
      },
    }
  }

  close(): void {
    this.#open?.db.close()
    this.#open = null
  }

  #claim(path: string, origin: string, claim: StartClaim): StartGrant {
    if (this.#open && inodeOf(path) !== this.#open.inode) this.#lose()
    try {
      return this.#take(path, origin, claim)
    } catch (error) {
      if (!isUnusable(error)) throw error
      this.#lose()
      rmSync(path, { force: true })
      return this.#take(path, origin, claim)
    }
  }

  #take(path: string, origin: string, claim: StartClaim): StartGrant {
    this.#open ??= openLedger(this.#database, path)
    return this.#open.claim(origin, () => {
      const now = this.#clock().getTime()
      return { now, claim: { ...claim, pausedFor: Math.max(claim.pausedFor, this.#lostAt + FORGOTTEN_MS - now) } }
    })
  }

  #lose(): void {
    this.close()
    this.#lostAt = this.#clock().getTime()
  }
}

function openLedger(database: string, path: string) {
  const inode = createLike(database, path)
  const db = new Database(path, { timeout: MAX_BLOCKING_WAIT_MS })
  try {
    // No journal file and no flushing: it is harmless if a crash loses or damages the file.
    db.pragma('journal_mode = memory')
    db.pragma('synchronous = off')
    db.exec(CREATE)
    const [select, save] = [db.prepare(SELECT), db.prepare(SAVE)]
    // The clock is read inside the transaction, so that claims see times in their order.
    const claim = db.transaction((origin: string, read: () => { now: number; claim: StartClaim }): StartGrant => {
      const { now, claim } = read()
      const { row, grant } = claimStarts((select.get(origin) as LedgerRow | undefined) ?? null, claim, now)
      save.run(origin, row.nextAt, row.pausedUntil, row.claimedAt)
      return grant
    }).immediate
    return { db, claim, inode }
  } catch (error) {
    db.close()
    throw error
  }
}

/** Whether the file is damaged, empty or deleted. */
const isUnusable = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB|ERROR$|READONLY_DBMOVED)/.test(error.code)

const inodeOf = (path: string): bigint | null => statSync(path, { throwIfNoEntry: false, bigint: true })?.ino ?? null

/** Creates a missing file with the owner and permissions of another, so that the same processes can use it. */
function createLike(model: string, path: string): bigint | null {
  if (inodeOf(path) === null) {
    closeSync(openSync(path, 'a', 0o600))
    const { mode, uid, gid } = statSync(model)
    chmodSync(path, mode & 0o666)
    if (process.getuid?.() === 0) chownSync(path, uid, gid)
  }
  return inodeOf(path)
}
