import { createHash, randomBytes } from 'node:crypto'
import { canonicalJson } from '../domain/canonical-json.js'
import type { DecisionRecord } from '../domain/records.js'
import type { Connection } from './connection.js'
import type { CloseIntent, Closings, IntentState, NewDecision } from './contract.js'
import { IntentOpenError, StoreError } from './errors.js'
import { assertLive } from './runs.js'

/** The hash before the first decision. */
const GENESIS = '0'.repeat(64)

interface DecisionRow {
  id: number
  run_id: number
  channel: string
  rfq_id: string
  rfq_number: number | null
  due_date: string | null
  time_zone: string
  decided_at: string
  decision: DecisionRecord['decision']
  reason: string
  outcome: DecisionRecord['outcome']
  http_status: number | null
  message: string | null
  version_before: number | null
  version_after: number | null
  evidence: string
  previous_hash: string
  hash: string
}
const toDecision = (row: DecisionRow): DecisionRecord => ({
  id: row.id,
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
  evidence: JSON.parse(row.evidence) as Record<string, unknown>,
  previousHash: row.previous_hash,
  hash: row.hash,
})

interface IntentRow {
  id: number
  channel: string
  rfq_id: string
  state: IntentState
  run_id: number
  created_at: string
  sent_at: string | null
  posts: number
  evidence: string
}
const toIntent = (row: IntentRow): CloseIntent => ({
  id: row.id,
  channel: row.channel,
  rfqId: row.rfq_id,
  state: row.state,
  runId: row.run_id,
  createdAt: row.created_at,
  sentAt: row.sent_at,
  posts: row.posts,
  evidence: JSON.parse(row.evidence) as Record<string, unknown>,
})

/** The record of closing: intents before, decisions after; the decisions are an append-only chain of hashes. */
export function createClosings(connection: Connection): Closings {
  const sql = (text: string) => connection.statement(text)

  const append = (decision: NewDecision): DecisionRecord => {
    const previousHash = (sql('select hash from close_decisions order by id desc limit 1').pluck().get() ??
      GENESIS) as string
    const row = sql(
      `insert into close_decisions (run_id, channel, rfq_id, rfq_number, due_date, time_zone, decided_at, decision,
        reason, outcome, http_status, message, version_before, version_after, evidence, previous_hash, hash)
      values (@runId, @channel, @rfqId, @rfqNumber, @dueDate, @timeZone, @decidedAt, @decision, @reason, @outcome,
        @httpStatus, @message, @versionBefore, @versionAfter, @evidence, @previousHash, @hash) returning *`,
    ).get({
      ...decision,
      evidence: canonicalJson(decision.evidence),
      previousHash,
      hash: chainHash(previousHash, decision),
    }) as DecisionRow
    return toDecision(row)
  }

  return {
    appendDecision: (decision) => connection.write(() => append(decision)),

    async decisions({ channel, rfq, limit }) {
      const rows = connection.read((db) =>
        db
          .prepare(
            `select * from close_decisions where (@channel is null or channel = @channel)
              and (@rfq is null or rfq_id = @rfq or cast(cast(rfq_number as integer) as text) = @rfq)
            order by id desc limit @limit`,
          )
          .all({ channel: channel ?? null, rfq: rfq ?? null, limit: limit ?? -1 }),
      )
      return (rows as DecisionRow[]).map(toDecision)
    },

    async decision(id) {
      const row = connection.read((db) => db.prepare('select * from close_decisions where id = ?').get(id))
      return row ? toDecision(row as DecisionRow) : null
    },

    async newestDecisions(channel) {
      const rows = connection.read((db) =>
        db
          .prepare(
            `select * from close_decisions where id in
              (select max(id) from close_decisions where channel = ? group by rfq_id) order by id`,
          )
          .all(channel),
      )
      return (rows as DecisionRow[]).map(toDecision)
    },

    async verifyDecisions() {
      return connection.read((db) => {
        const rows = db.prepare('select * from close_decisions order by id').iterate() as IterableIterator<DecisionRow>
        const given = db.prepare("select seq from sqlite_sequence where name = 'close_decisions'").pluck().get()
        return walkChain(rows, (given as number | undefined) ?? 0)
      })
    },

    async openIntents(channel) {
      const rows = connection.read((db) =>
        db
          .prepare(
            `select * from close_intents where channel = ? and state in ('planned', 'sending') order by created_at, id`,
          )
          .all(channel),
      )
      return (rows as IntentRow[]).map(toIntent)
    },

    planClose: ({ channel, rfqId, runId, evidence, now }) =>
      connection.write(() => {
        // Whoever was thought dead and goes on must not close by a reading that has grown old meanwhile.
        assertLive(connection, { id: runId })
        const open = sql(
          `select id from close_intents where channel = ? and rfq_id = ? and state in ('planned', 'sending')`,
        )
          .pluck()
          .get(channel, rfqId)
        if (open !== undefined) {
          throw new IntentOpenError(`RFQ ${rfqId} of ${channel} has a close that is not settled (intent ${open}).`)
        }
        return toIntent(
          sql(
            `insert into close_intents (channel, rfq_id, state, run_id, created_at, evidence)
            values (?, ?, 'planned', ?, ?, ?) returning *`,
          ).get(channel, rfqId, runId, now.toISOString(), JSON.stringify(evidence)) as IntentRow,
        )
      }),

    markSending: (intent, now) =>
      connection.write(() => {
        const row = sql(
          `update close_intents set state = 'sending', sent_at = ?, posts = posts + 1
          where id = ? and posts = ? and state in ('planned', 'sending') returning *`,
        ).get(now.toISOString(), intent.id, intent.posts) as IntentRow | undefined
        if (!row) throw new StoreError(`The close of RFQ ${intent.rfqId} was taken up by another process.`)
        return toIntent(row)
      }),

    settleClose: (intent, decision) =>
      connection.write(() => {
        const settled = sql(
          `update close_intents set state = ?, settled_at = ? where id = ? and state in ('planned', 'sending')`,
        ).run(decision.outcome ?? 'failed', decision.decidedAt, intent.id)
        if (settled.changes === 0) throw new StoreError(`The close of RFQ ${intent.rfqId} was settled already.`)
        return append(decision)
      }),

    createApprovalPlan: ({ channel, rfqIds, now, expiresAt }) =>
      connection.write(() => {
        const ids = JSON.stringify([...rfqIds].sort())
        const known = sql('select plan_id from held_rounds where channel = ? and rfq_ids = ? and expires_at > ?')
          .pluck()
          .get(channel, ids, now.toISOString()) as string | undefined
        if (known !== undefined) return known
        const planId = `plan-${randomBytes(5).toString('hex')}`
        sql('insert into held_rounds values (?, ?, ?, ?, ?)').run(
          planId,
          channel,
          ids,
          now.toISOString(),
          expiresAt.toISOString(),
        )
        return planId
      }),

    async findApprovalPlan(planId, now) {
      const row = connection.read((db) =>
        db
          .prepare('select channel, rfq_ids from held_rounds where plan_id = ? and expires_at > ?')
          .get(planId, now.toISOString()),
      ) as { channel: string; rfq_ids: string } | undefined
      return row ? { channel: row.channel, rfqIds: JSON.parse(row.rfq_ids) as string[] } : null
    },
  }
}

function chainHash(previousHash: string, decision: NewDecision): string {
  return createHash('sha256').update(previousHash).update('\n').update(canonicalJson(decision)).digest('hex')
}

function walkChain(rows: Iterable<DecisionRow>, given: number) {
  let previous = GENESIS
  let count = 0
  const broken = (id: number, message: string) => ({ decisions: count, brokenAt: id, message })
  for (const row of rows) {
    count++
    const { id, previousHash, hash, ...decision } = toDecision(row)
    if (id !== count) return broken(count, `Decision ${count} is missing.`)
    if (previousHash !== previous) return broken(id, `Decision ${id} does not follow the one before it.`)
    if (hash !== chainHash(previousHash, decision))
      return broken(id, `Decision ${id} was changed after it was written.`)
    previous = hash
  }
  if (given > count) return broken(count + 1, `Decisions after ${count} were removed (${given} were written).`)
  return {
    decisions: count,
    brokenAt: null,
    message: `${count} decisions, none changed; the newest has hash ${previous}.`,
  }
}
