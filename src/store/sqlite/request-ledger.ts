import { realpathSync, truncateSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { RequestLedger, StartClaim, StartGrant } from '../../core/requests/request-ledger.js'
import type { Clock } from '../../core/time/clock.js'
import { CREATE_LIMITS, claimStatement } from '../sql/claim-starts.js'
import { toStoreError } from './sqlite-errors.js'
import { createPrivateFile, retryWhileBusy } from './sqlite-file.js'

/** The pause after a ledger was lost, because requests that it granted may still start, in milliseconds. */
const FORGOTTEN_MS = 1200

/** Time since this machine started: the same in all of its processes, and not affected by setting the clock. */
export const machineClock: Clock = () => new Date(Number(process.hrtime.bigint() / 1_000_000n))

export const CLAIM = claimStatement('@now', 'max')

/**
 * The request ledgers of a database, one for each marketplace, in a separate small SQLite file, so that requests wait neither for a long
 * write transaction of the database nor for the disk. Its content is valid for seconds only: a damaged file is emptied.
 */
export function createRequestLedgers(database: string, clock: Clock) {
  let opened: ReturnType<typeof openFile> | null = null
  // In the folder of the real database file, even if the database is opened through a link, like the write-ahead log.
  const pathOf = () => `${realpathSync(database)}-requests`

  const close = () => {
    opened?.db.close()
    opened = null
  }
  const claim = (origin: string, values: StartClaim): StartGrant => {
    opened ??= openFile(pathOf())
    return opened.claim.get({ origin, now: clock().getTime(), ...values }) as StartGrant
  }
  return {
    close,
    ledger: (origin: string): RequestLedger => ({
      claim: (values) =>
        retryWhileBusy(() => {
          try {
            return claim(origin, values)
          } catch (error) {
            if (!isUnusable(error)) throw error
            close()
            // In place, because other processes have it open.
            if (error.code !== 'SQLITE_ERROR') truncateSync(pathOf())
            return claim(origin, { ...values, pausedFor: Math.max(values.pausedFor, FORGOTTEN_MS) })
          }
        }).catch((error: unknown) => {
          throw toStoreError(error, pathOf())
        }),
    }),
  }
}

function openFile(path: string) {
  createPrivateFile(path)
  // It does not wait for another process itself, so that a claim has the time at which it is made.
  const db = new Database(path, { timeout: 0 })
  try {
    // No journal file and no flushing: it is harmless if a crash loses or damages the file.
    db.pragma('journal_mode = memory')
    db.pragma('synchronous = off')
    db.exec(CREATE_LIMITS)
    return { db, claim: db.prepare(CLAIM) }
  } catch (error) {
    db.close()
    throw error
  }
}

/** Whether the file is damaged or empty. */
const isUnusable = (error: unknown): error is InstanceType<typeof Database.SqliteError> =>
  error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB|ERROR$)/.test(error.code)
