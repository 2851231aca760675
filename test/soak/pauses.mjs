// When the processes could know of a Retry-After: what the ledger of request limits says of pauses.
import Database from 'better-sqlite3'
import pg from 'pg'

const INTERVAL_MS = 50
/** By how much the same moment may differ between two looks. */
const TOLERANCE_MS = 20

/** Reads the ledger many times a second. */
export class PauseWatch {
  /** [{at, until}] whenever the end of the pause was another one than before, in milliseconds since 1970. */
  reports = []
  #timer

  /** @param read returns until when the ledger is paused, or undefined; may fail while the database is away */
  constructor(read) {
    let last = 0
    const look = async () => {
      try {
        const until = (await read()) ?? 0
        const at = Date.now()
        if (until > Math.max(last + TOLERANCE_MS, at)) this.reports.push({ at, until })
        last = Math.max(last, until)
      } catch {
        // The next look may succeed.
      }
      this.#timer = setTimeout(look, INTERVAL_MS)
    }
    this.#timer = setTimeout(look, INTERVAL_MS)
  }

  stop() {
    clearTimeout(this.#timer)
  }
}

/** Reads the file beside a SQLite database, whose times are since the machine started. */
export const readLedgerFile = (database) => () => {
  const db = new Database(`${database}-requests`, { readonly: true, fileMustExist: true })
  try {
    const until = db.prepare('select paused_until from request_limits').pluck().get()
    return until && until - Number(process.hrtime.bigint() / 1_000_000n) + Date.now()
  } finally {
    db.close()
  }
}

/** Reads the table of a PostgreSQL database. */
export function readLedgerTable(url) {
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 1000, query_timeout: 1000 })
  pool.on('error', () => undefined)
  const sql = 'select paused_until::float8 as until from quotekeeper_data.request_limits'
  return async () => (await pool.query(sql)).rows[0]?.until
}
