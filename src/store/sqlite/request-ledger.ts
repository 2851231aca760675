import { chmodSync, chownSync, closeSync, openSync, realpathSync, rmSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { RequestLedger, StartClaim, StartGrant } from '../../core/requests/request-ledger.js'
import type { Clock } from '../../core/time/clock.js'
import { claimStatement } from '../sql/claim-starts.js'
import { retryWhileBusy, type Sqlite } from './connection.js'
import { toStoreError } from './sqlite-errors.js'

/** SQLite's busy timeout, which blocks the thread, in milliseconds. */
const MAX_BLOCKING_WAIT_MS = 10

/** The suffix of the ledger file, which is in the folder of the database. */
const LEDGER_SUFFIX = '-requests'

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
const CLAIM = claimStatement({ now: '@now', greatest: 'max' })
const PAUSE = `
insert into request_limits values (@origin, @now, @now + ${FORGOTTEN_MS}, @now)
on conflict do update set paused_until = max(paused_until, excluded.paused_until)`

/** Opens the request ledgers of a database, one for each marketplace. Their file is opened at the first claim. */
export function createRequestLedgers(database: string, clock: Clock) {
  const file = new LedgerFile(database, clock)
  return {
    ledger: (origin: string): RequestLedger => ({ claim: (claim) => file.claim(origin, claim) }),
    close: () => file.close(),
  }
}

interface OpenLedger {
  db: Sqlite
  claim: Database.Statement
  pause: Database.Statement
  path: string
  inode: bigint | null
}

/**
 * A separate small SQLite file, so that requests do not wait for a long write transaction of the database. Its content is valid for seconds
 * only, so nothing is flushed to disk, and a missing or damaged file is replaced.
 */
class LedgerFile {
  readonly #database: string
  readonly #clock: Clock
  #open: OpenLedger | null = null
  /** The marketplaces that were paused since the file was lost, so that its grants expire; null if it was never lost. */
  #lost: Set<string> | null = null

  constructor(database: string, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  /**
   * Waits up to five seconds while another program locks the file.
   * @throws StoreError
   */
  async claim(origin: string, claim: StartClaim): Promise<StartGrant> {
    try {
      return await retryWhileBusy(() => {
        try {
          return this.#claim(origin, claim)
        } catch (error) {
          if (!isUnusable(error)) throw error
          this.#removeDamaged()
          return this.#claim(origin, claim)
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

  #claim(origin: string, claim: StartClaim): StartGrant {
    const { db, claim: statement, pause } = this.#connect()
    // The clock is read inside the transaction, so that claims see times in their order.
    const take = db.transaction(() => {
      const now = this.#clock().getTime()
      if (this.#lost?.has(origin) === false) pause.run({ origin, now })
      return statement.get({ origin, now, ...claim }) as StartGrant
    })
    const grant = take.immediate()
    this.#lost?.add(origin)
    return grant
  }

  /** The open file, unless it was deleted or replaced since. */
  #connect(): OpenLedger {
    if (this.#open) {
      if (inodeOf(this.#open.path) === this.#open.inode) return this.#open
      this.close()
      this.#lost = new Set()
    }
    const path = this.#path()
    createLike(this.#database, path)
    const inode = inodeOf(path)
    const db = new Database(path, { timeout: MAX_BLOCKING_WAIT_MS })
    try {
      // No journal file and no flushing: it is harmless if a crash loses or damages the file.
      db.pragma('journal_mode = memory')
      db.pragma('synchronous = off')
      db.exec(CREATE)
      this.#open = { db, claim: db.prepare(CLAIM), pause: db.prepare(PAUSE), path, inode }
    } catch (error) {
      db.close()
      throw error
    }
    return this.#open
  }

  /** Removes a damaged file. If another process has just replaced it, both processes pause. */
  #removeDamaged(): void {
    this.close()
    this.#lost = new Set()
    rmSync(this.#path(), { force: true })
  }

  /** In the folder of the real database file, even if the database is opened through a link, like the write-ahead log. */
  #path(): string {
    try {
      return realpathSync(this.#database) + LEDGER_SUFFIX
    } catch {
      return this.#database + LEDGER_SUFFIX
    }
  }
}

/** Whether the file is damaged, empty or deleted. */
const isUnusable = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB|ERROR$|READONLY_DBMOVED)/.test(error.code)

const inodeOf = (path: string): bigint | null => statSync(path, { throwIfNoEntry: false, bigint: true })?.ino ?? null

/** Creates a file with the owner and permissions of another, so that the same processes can use it. */
function createLike(model: string, path: string): void {
  if (inodeOf(path) !== null) return
  closeSync(openSync(path, 'a', 0o600))
  const { mode, uid, gid } = statSync(model)
  chmodSync(path, mode & 0o666)
  if (process.getuid?.() === 0) chownSync(path, uid, gid)
}
