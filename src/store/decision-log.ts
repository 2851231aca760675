import { createHash } from 'node:crypto'
import { canonicalJson } from '../domain/canonical-json.js'
import type { DecisionRecord } from '../domain/records.js'
import type { Connection } from './connection.js'
import type { Closings, NewDecision } from './contract.js'
import { writeDecisionEvent } from './decision-events.js'
import type { EventWriter } from './event-writer.js'
import { fromStoredText, toStoredText } from './stored-text.js'

/** The previous hash of the first decision. */
export const GENESIS = '0'.repeat(64)

/** A row of `close_decisions`. */
export interface DecisionRow {
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
  approved_by?: string | null
  /** Of `close_decision_repeats`. */
  times?: number | null
  repeated_until?: string | null
}

const SELECT = `select d.*, r.times, r.last_at as repeated_until
from close_decisions d left join close_decision_repeats r on r.decision_id = d.id`

const toDecision = (row: DecisionRow): DecisionRecord => ({
  id: row.id,
  runId: row.run_id,
  channel: row.channel,
  rfqId: fromStoredText(row.rfq_id),
  rfqNumber: row.rfq_number,
  dueDate: row.due_date,
  timeZone: row.time_zone,
  decidedAt: row.decided_at,
  decision: row.decision,
  reason: fromStoredText(row.reason),
  outcome: row.outcome,
  httpStatus: row.http_status,
  message: row.message === null ? null : fromStoredText(row.message),
  versionBefore: row.version_before,
  versionAfter: row.version_after,
  evidence: JSON.parse(row.evidence) as Record<string, unknown>,
  previousHash: row.previous_hash,
  hash: row.hash,
  approvedBy: row.approved_by ?? null,
  times: row.times ?? 1,
  repeatedUntil: row.repeated_until ?? null,
})

/** As of a moment, later rounds are left out. When the rounds between came to the decision is not stored. */
const withoutLaterRounds = (decision: DecisionRecord, asOf: Date | undefined): DecisionRecord =>
  asOf === undefined || decision.repeatedUntil === null || new Date(decision.repeatedUntil) <= asOf
    ? decision
    : { ...decision, times: 1, repeatedUntil: null }

type DecisionLog = Pick<
  Closings,
  | 'appendDecision'
  | 'recordRepeats'
  | 'decisions'
  | 'decision'
  | 'newestDecisions'
  | 'lastClose'
  | 'closeAnswers'
  | 'chainLength'
  | 'chainEntry'
  | 'verifyDecisions'
> & {
  /** Appends within the caller's transaction. */
  append(decision: NewDecision): DecisionRecord
}

/** SQL condition: the decision is the answer to a close: it has an outcome. */
export const IS_ANSWER = 'outcome is not null'

/** SQL that selects the id of the newest decision about each RFQ, among those that a condition allows. */
export const selectNewestIds = (condition: string): string =>
  `select max(id) from close_decisions where ${condition} group by channel, rfq_id`

/** The decision log: append-only, each row carrying the hash of the one before (docs/CLOSING.md, rule 9). */
export function createDecisionLog(connection: Connection, events: EventWriter): DecisionLog {
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
      rfqId: toStoredText(decision.rfqId),
      reason: toStoredText(decision.reason),
      message: decision.message === null ? null : toStoredText(decision.message),
      evidence: canonicalJson(decision.evidence),
      previousHash,
      hash: chainHash(previousHash, decision),
    }) as DecisionRow
    const appended = toDecision(row)
    writeDecisionEvent(events, appended)
    return appended
  }

  const newest = (condition: string, channel: string): DecisionRecord[] => {
    const ids = selectNewestIds(condition)
    const rows = connection.read((db) => db.prepare(`${SELECT} where id in (${ids}) order by id`).all({ channel }))
    return (rows as DecisionRow[]).map(toDecision)
  }

  return {
    append,

    appendDecision: (decision) => connection.write(() => append(decision)),

    recordRepeats: (decisionIds, now) =>
      connection.write(() => {
        const record = sql(
          `insert into close_decision_repeats (decision_id, first_at, last_at, times)
          select id, decided_at, @at, 2 from close_decisions where id = @id
          on conflict (decision_id) do update set last_at = excluded.last_at, times = times + 1`,
        )
        for (const id of decisionIds) record.run({ id, at: now.toISOString() })
      }),

    async decisions({ channel, rfqId, outcome, asOf, before, limit }) {
      const rows = connection.read((db) =>
        db
          .prepare(
            `${SELECT} where (@channel is null or channel = @channel)
              and (@rfqId is null or rfq_id = @rfqId) and (@outcome is null or outcome = @outcome)
              and (@before is null or id < @before) and (@asOf is null or decided_at <= @asOf)
            order by id desc limit @limit`,
          )
          .all({
            channel: channel ?? null,
            rfqId: rfqId === undefined ? null : toStoredText(rfqId),
            outcome: outcome ?? null,
            before: before ?? null,
            asOf: asOf?.toISOString() ?? null,
            limit: limit ?? -1,
          }),
      )
      return (rows as DecisionRow[]).map(toDecision).map((decision) => withoutLaterRounds(decision, asOf))
    },

    async decision(id) {
      const row = connection.read((db) => db.prepare(`${SELECT} where id = ?`).get(id))
      return row ? toDecision(row as DecisionRow) : null
    },

    newestDecisions: async (channel) => newest('channel = @channel', channel),

    async lastClose(channel) {
      const where = `channel = ? and ${IS_ANSWER} order by id desc limit 1`
      const row = connection.read((db) => db.prepare(`${SELECT} where ${where}`).get(channel))
      return row ? toDecision(row as DecisionRow) : null
    },

    closeAnswers: async (channel) => newest(`channel = @channel and ${IS_ANSWER}`, channel),

    async chainLength() {
      return connection.read(
        (db) => db.prepare('select coalesce(max(id), 0) from close_decisions').pluck().get() as number,
      )
    },

    async chainEntry(id) {
      if (id === 0) return { decidedAt: null, hash: GENESIS }
      const row = connection.read((db) =>
        db.prepare('select decided_at, hash from close_decisions where id = ?').get(id),
      )
      const { decided_at, hash } = (row ?? {}) as Partial<DecisionRow>
      return decided_at === undefined || hash === undefined ? null : { decidedAt: decided_at, hash }
    },

    async verifyDecisions() {
      return connection.read((db) => {
        const rows = db.prepare('select * from close_decisions order by id').iterate() as IterableIterator<DecisionRow>
        const issued = db.prepare("select seq from sqlite_sequence where name = 'close_decisions'").pluck().get()
        return verifyChain(rows, (issued as number | undefined) ?? 0)
      })
    },
  }
}

function chainHash(previousHash: string, decision: NewDecision): string {
  return createHash('sha256').update(previousHash).update('\n').update(canonicalJson(decision)).digest('hex')
}

/**
 * The hash covers the value of the evidence. Its text must say nothing else, because SQLite uses the first of two members of
 * one name, for example in `approved_by`, and JSON.parse the last.
 */
const hasEvidenceAsWritten = (row: DecisionRow, evidence: Record<string, unknown>): boolean =>
  row.evidence === canonicalJson(evidence) &&
  (row.approved_by === undefined || row.approved_by === (evidence.approvedBy ?? null))

/**
 * Verifies the hash chain of the decisions.
 * @param issued how many decisions were ever written
 */
export function verifyChain(rows: Iterable<DecisionRow>, issued: number) {
  let previous = GENESIS
  let count = 0
  const broken = (id: number, message: string) => ({ decisions: count, brokenAt: id, message })
  for (const row of rows) {
    count++
    // The hash covers what was written with the decision; who approved it is part of the evidence.
    const {
      id,
      previousHash,
      hash,
      approvedBy: _person,
      times: _times,
      repeatedUntil: _until,
      ...decision
    } = toDecision(row)
    if (id !== count) return broken(count, `Decision ${count} is missing.`)
    if (previousHash !== previous) return broken(id, `Decision ${id} does not follow the one before it.`)
    if (hash !== chainHash(previousHash, decision) || !hasEvidenceAsWritten(row, decision.evidence))
      return broken(id, `Decision ${id} was changed after it was written.`)
    previous = hash
  }
  if (issued > count) return broken(count + 1, `Decisions after ${count} were removed (${issued} were written).`)
  return {
    decisions: count,
    brokenAt: null,
    message: `${count} decisions, none changed; the newest has hash ${previous}.`,
  }
}
