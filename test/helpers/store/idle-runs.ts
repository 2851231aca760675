import Database from 'better-sqlite3'

export const CHANNEL = 'acme/forest'
/** When the first idle run begins. */
export const START = Date.parse('2025-01-01T00:00:00.000Z')

/** Inserts finished idle runs, one every minute from START, in one transaction. */
export function insertIdleRuns(path: string, count: number, { kind = 'rfqs', outcome = 'complete' } = {}): void {
  const db = new Database(path)
  const insert = db.prepare(
    `insert into runs (channel, kind, started_at, finished_at, outcome, requests, seen, unchanged, holder)
    values ('${CHANNEL}', ?, ?, ?, ?, 2, 5, 5, '{}')`,
  )
  db.transaction(() => {
    for (let n = 0; n < count; n++) {
      const [start, end] = [START + n * 60_000, START + n * 60_000 + 1500].map((at) => new Date(at).toISOString())
      insert.run(kind, start, end, outcome)
    }
  })()
  db.close()
}

export function sql(path: string, query: string): unknown[] {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare(query).all()
  } finally {
    db.close()
  }
}
