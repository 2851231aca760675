import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import { canonicalJson } from '../../../src/core/documents/canonical-json.js'

/** Changes the database as somebody can who may write the file, then restores its triggers. */
export function tamper(path: string, change: (db: Database.Database) => void): void {
  const db = new Database(path)
  const triggers = db
    .prepare("select name, sql from sqlite_schema where type = 'trigger' and tbl_name = 'close_decisions'")
    .all() as { name: string; sql: string }[]
  for (const { name } of triggers) db.exec(`drop trigger ${name}`)
  change(db)
  for (const { sql } of triggers) db.exec(sql)
  db.close()
}

/** Computes the hash of every decision again, so that the chain is intact. */
export function recomputeChain(db: Database.Database): void {
  let previous = '0'.repeat(64)
  for (const row of db.prepare('select * from close_decisions order by id').all() as Record<string, unknown>[]) {
    const decision = {
      runId: row.run_id,
      channel: row.channel,
      rfqId: row.rfq_id,
      rfqNumber: row.rfq_number,
      dueDate: row.due_date,
      timeZone: row.time_zone,
      decidedAt: row.decided_at,
      decision: row.decision,
      reason: row.reason,
      outcome: row.outcome,
      httpStatus: row.http_status,
      message: row.message,
      versionBefore: row.version_before,
      versionAfter: row.version_after,
      evidence: JSON.parse(row.evidence as string) as unknown,
    }
    const hash = createHash('sha256').update(previous).update('\n').update(canonicalJson(decision)).digest('hex')
    db.prepare('update close_decisions set previous_hash = ?, hash = ? where id = ?').run(previous, hash, row.id)
    previous = hash
  }
}
