// When the processes could know of a Retry-After: what the ledger of request limits says of pauses.
import Database from 'better-sqlite3'
import pg from 'pg'

const INTERVAL_MS = 50

/** Looks again and again until it is stopped; a look may fail while the database is away. */
class Watch {
  #timer

  constructor(look) {
    const repeat = async () => {
      await look().catch(() => undefined) // The next look may succeed.
      this.#timer = setTimeout(repeat, INTERVAL_MS)
    }
    this.#timer = setTimeout(repeat, INTERVAL_MS)
  }

  stop() {
    clearTimeout(this.#timer)
  }
}

/** Reads the ledger many times a second. */
export class PauseWatch extends Watch {
  /** [{at, until}] whenever the end of the pause was another one than before, in milliseconds since 1970. */
  reports = []

  /** @param read returns the state of the ledger as JSON, or undefined */
  constructor(read) {
    let last = 0
    super(async () => {
      const text = await read()
      const until = text ? JSON.parse(text).pausedUntil : 0
      if (until > last) this.reports.push({ at: Date.now(), until })
      last = Math.max(last, until)
    })
  }
}

/** How many processes read parts of one poll at the same time, at most. */
export class SharingWatch extends Watch {
  most = 0

  /** @param read returns the most parts of a poll that are claimed and not finished */
  constructor(read) {
    super(async () => {
      this.most = Math.max(this.most, Number(await read()))
    })
  }
}

const CLAIMED = `select coalesce(max(parts), 0) as most
  from (select count(*) as parts from poll_parts where claimed_until is not null and result is null group by run_id) as polls`

/** Reads a SQLite database, and the file of the ledger beside it. */
export function readFiles(database) {
  const get = (file, query) => async () => {
    const db = new Database(file, { readonly: true, fileMustExist: true })
    try {
      return db.prepare(query).pluck().get()
    } finally {
      db.close()
    }
  }
  return { ledger: get(`${database}-requests`, 'select state from ledgers'), claimedParts: get(database, CLAIMED) }
}

/** Reads the tables of a PostgreSQL database. */
export function readTables(url) {
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 1000, query_timeout: 1000 })
  pool.on('error', () => undefined)
  const get = (query) => async () => Object.values((await pool.query(query)).rows[0] ?? {})[0]
  return {
    ledger: get('select state from quotekeeper_data.request_ledgers'),
    claimedParts: get(CLAIMED.replace('poll_parts', 'quotekeeper_data.poll_parts')),
  }
}
