import { canonicalJson } from '../../core/documents/canonical-json.js'
import type { DecisionRecord } from '../../core/records.js'
import type { Closings, NewDecision } from '../contract.js'
import { fromStoredText, toStoredText } from '../documents/stored-text.js'
import type { EventWriter } from '../events/event-writer.js'
import { type ChainedTable, nextLink } from '../sql/hash-chain.js'
import { allOf, NO_LIMIT, type SqlDatabase, type Transaction } from '../sql/sql-database.js'
import { writeDecisionEvent } from './decision-events.js'

/** A row of `close_decisions`. */
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
  approved_by: string | null
  times: number
  repeated_until: string | null
}

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
  approvedBy: row.approved_by,
  times: row.times,
  repeatedUntil: row.repeated_until,
})

/** Leaves out repeats after a moment. If the last repeat is later, all are left out, because the times of earlier ones are not stored. */
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
  | 'closedSince'
  | 'latestCloseReplies'
> & {
  /** Appends a decision in the caller's transaction. */
  append(tx: Transaction, decision: NewDecision): Promise<DecisionRecord>
}

/** SQL condition: the decision has an outcome, because a close was tried. */
export const HAS_OUTCOME = 'outcome is not null'

/** SQL that selects the id of the newest decision about each RFQ that meets a condition. */
export const selectNewestIds = (condition: string): string =>
  `select max(id) from close_decisions where ${condition} group by channel, rfq_id`

/** The closing log: append-only (docs/CLOSING.md, rule 9). */
export function createDecisionLog(database: SqlDatabase, events: EventWriter): DecisionLog {
  const append = async (tx: Transaction, decision: NewDecision): Promise<DecisionRecord> => {
    const row = await tx.get<DecisionRow>(INSERT_DECISION, {
      ...decision,
      rfqId: toStoredText(decision.rfqId),
      reason: toStoredText(decision.reason),
      message: decision.message === null ? null : toStoredText(decision.message),
      evidence: canonicalJson(decision.evidence),
      approvedBy: approverIn(decision.evidence),
      ...(await nextLink(tx, decision)),
    })
    const appended = toDecision(row as DecisionRow)
    await writeDecisionEvent(tx, events, appended)
    return appended
  }

  const newest = async (
    condition: string | false,
    channel: string,
    rfqIds?: readonly string[],
    since?: Date,
  ): Promise<DecisionRecord[]> => {
    const ofRfqs = rfqIds !== undefined && database.dialect.anyOf('rfq_id', '@rfqIds')
    const ids = selectNewestIds(allOf('channel = @channel', condition, ofRfqs))
    const rows = await database.all<DecisionRow>(`select * from close_decisions where id in (${ids}) order by id`, {
      channel,
      rfqIds: (rfqIds ?? []).map(toStoredText),
      since: since?.toISOString() ?? null,
    })
    return rows.map(toDecision)
  }

  return {
    append,

    appendDecision: (decision) => database.write((tx) => append(tx, decision)),

    recordRepeats: (decisionIds, now) =>
      database.write(async (tx) => {
        await tx.run(
          `update close_decisions set times = times + 1, repeated_until = @at where ${tx.dialect.anyOf('id', '@ids')}`,
          { ids: decisionIds, at: now.toISOString() },
        )
      }),

    async decisions({ channel, rfqId, outcome, asOf, before, limit }) {
      const where = allOf(
        channel !== undefined && 'channel = @channel',
        rfqId !== undefined && 'rfq_id = @rfqId',
        outcome !== undefined && 'outcome = @outcome',
        before !== undefined && 'id < @before',
        asOf !== undefined && 'decided_at <= @asOf',
      )
      const rows = await database.all<DecisionRow>(
        `select * from close_decisions where ${where} order by id desc limit @limit`,
        {
          channel: channel ?? null,
          rfqId: rfqId === undefined ? null : toStoredText(rfqId),
          outcome: outcome ?? null,
          before: before ?? null,
          asOf: asOf?.toISOString() ?? null,
          limit: limit ?? NO_LIMIT,
        },
      )
      return rows.map(toDecision).map((decision) => withoutLaterRounds(decision, asOf))
    },

    async decision(id) {
      const row = await database.get<DecisionRow>('select * from close_decisions where id = @id', { id })
      return row ? toDecision(row) : null
    },

    newestDecisions: (channel, rfqIds) => newest(false, channel, rfqIds),

    closedSince: ({ channel, since }) =>
      newest(`outcome in ('closed', 'already-closed') and decided_at >= @since`, channel, undefined, since),

    latestCloseReplies: (channel, rfqIds) => newest(HAS_OUTCOME, channel, rfqIds),
  }
}

/** The approver in the evidence of a decision, as stored. */
const approverIn = ({ approvedBy }: Record<string, unknown>): string | null =>
  typeof approvedBy === 'string' ? toStoredText(approvedBy) : null

const INSERT_DECISION = `
insert into close_decisions (id, run_id, channel, rfq_id, rfq_number, due_date, time_zone, decided_at, decision, reason, outcome,
  http_status, message, version_before, version_after, evidence, previous_hash, hash, approved_by)
values (@id, @runId, @channel, @rfqId, @rfqNumber, @dueDate, @timeZone, @decidedAt, @decision, @reason, @outcome, @httpStatus,
  @message, @versionBefore, @versionAfter, @evidence, @previousHash, @hash, @approvedBy) returning *`

/** Its part of the chain. The hash covers the decision as written; the approver is part of its evidence. */
export const DECISION_LOG: ChainedTable<DecisionRow> = {
  name: 'close_decisions',
  columns: '*',
  linkOf(row) {
    const { id, previous_hash: previousHash, hash } = row
    return { id, previousHash, hash, content: contentOf(row) }
  },
}

/**
 * The content that the hash of a decision covers; undefined if the text of its evidence is ambiguous: of two members with the same name, such
 * as `approvedBy`, SQLite uses the first and JSON.parse the last.
 */
function contentOf(row: DecisionRow): NewDecision | undefined {
  if (!isJson(row.evidence)) return undefined
  const { id, previousHash, hash, approvedBy, times, repeatedUntil, ...decision } = toDecision(row)
  const { evidence } = decision
  const isAsWritten = row.evidence === canonicalJson(evidence) && row.approved_by === (evidence.approvedBy ?? null)
  return isAsWritten ? decision : undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
