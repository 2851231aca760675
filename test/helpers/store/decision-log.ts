import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { canonicalJson } from '../../../src/core/documents/canonical-json.js'
import type { Store } from '../../../src/store/contract.js'
import { openStore } from '../../../src/store/sqlite/store.js'
import { testFolder } from '../test-folder.js'
import { openNewStore } from './new-store.js'

/** A store with a closing log, and a clock that the test moves. */
export async function openDecisionLog(path = join(testFolder(), 'log.db')) {
  let time = new Date('2026-11-01T12:00:00.000Z')
  const now = () => time
  let store = existsSync(path) ? await openStore({ path, clock: now }) : await openNewStore({ path, clock: now })
  onTestFinished(() => store.close())
  const run = await store.beginRun({ channel: 'acme/forest', kind: 'close', now: time })
  const decide = (rfqId: string) =>
    store.appendDecision({
      runId: run.id,
      channel: 'acme/forest',
      rfqId,
      rfqNumber: 7,
      dueDate: '2026-10-31',
      timeZone: 'UTC',
      decidedAt: time.toISOString(),
      decision: 'keep',
      reason: `RFQ ${rfqId} is kept`,
      outcome: null,
      httpStatus: null,
      message: null,
      versionBefore: 1,
      versionAfter: null,
      evidence: { codes: ['not-due'] },
    })
  return {
    path,
    now,
    decide,
    get store(): Store {
      return store
    },
    async reopen(from = path) {
      await store.close()
      store = await openStore({ path: from, clock: now })
      return store
    },
    advanceHours: (hours: number) => {
      time = new Date(time.getTime() + hours * 3_600_000)
    },
  }
}

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
