import { closeRemedy } from '../../core/close-intent.js'
import { canonicalJson } from '../../core/documents/canonical-json.js'
import type { DecisionRecord } from '../../core/records.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import { type EventDraft, writeEvents } from '../events/event-writer.js'
import { type ChainedTable, nextLink } from '../sql/hash-chain.js'
import {
  allOf,
  columnOf,
  matching,
  membersOf,
  NO_LIMIT,
  type SqlDatabase,
  type SqlParameters,
  type Transaction,
} from '../sql/sql-database.js'

/** A decision to be appended. */
export type NewDecision = Omit<
  DecisionRecord,
  'id' | 'previousHash' | 'hash' | 'approvedBy' | 'times' | 'repeatedUntil'
>

/** A row of `close_decisions`, with the names of members. */
export type DecisionRow = Omit<DecisionRecord, 'evidence'> & { evidence: string }

const WRITTEN = [
  ...['id', 'runId', 'channel', 'rfqId', 'rfqNumber', 'dueDate', 'timeZone', 'decidedAt', 'decision', 'reason'],
  ...['outcome', 'httpStatus', 'message', 'versionBefore', 'versionAfter', 'evidence', 'previousHash', 'hash'],
  'approvedBy',
]
const DECISION = membersOf(...WRITTEN, 'times', 'repeatedUntil')

const toDecision = (row: DecisionRow): DecisionRecord => ({
  ...row,
  evidence: JSON.parse(row.evidence) as Record<string, unknown>,
})

/** SQL condition: the decision has an outcome, because a close was tried. */
export const HAS_OUTCOME = 'outcome is not null'

/** SQL that selects the id of the newest decision about each RFQ that meets a condition. */
export const selectNewestIds = (condition: string): string =>
  `select max(id) from close_decisions where ${condition} group by channel, rfq_id`

/** The closing log: append-only (docs/CLOSING.md, rule 9). */
export function createDecisionLog(database: SqlDatabase) {
  /** Appends a decision in the caller's transaction. */
  const append = async (tx: Transaction, decision: NewDecision): Promise<DecisionRecord> => {
    const { evidence, ...link } = await nextLink(tx, decision)
    const row = await tx.get<DecisionRow>(INSERT_DECISION, {
      ...{ ...link, evidence: canonicalJson(evidence), approvedBy: approverIn(evidence) },
    })
    const appended = toDecision(row as DecisionRow)
    const event = eventOf(appended)
    if (event !== null) await writeEvents(tx, [event])
    return appended
  }

  const find = async (where: string, parameters: SqlParameters): Promise<DecisionRecord[]> =>
    (await database.all<DecisionRow>(`select ${DECISION} from close_decisions where ${where}`, parameters)).map(
      toDecision,
    )

  const newest = (
    condition: string | false,
    channel: string,
    { rfqIds, since }: { rfqIds?: readonly string[] | undefined; since?: Date },
  ): Promise<DecisionRecord[]> => {
    const ofRfqs = rfqIds !== undefined && database.dialect.anyOf('rfq_id', '@rfqIds')
    const ids = selectNewestIds(allOf('channel = @channel', condition, ofRfqs))
    const parameters = { channel, rfqIds, since: since?.toISOString() }
    return find(`id in (${ids}) order by id`, parameters)
  }

  return {
    append,

    appendDecision: (decision: NewDecision) => database.write((tx) => append(tx, decision)),

    /** Counts another round with the same decision, for each decision (docs/CLOSING.md, rule 9). */
    recordRepeats: (decisionIds: readonly number[], now: Date) =>
      database.write(async (tx) => {
        await tx.run(
          `update close_decisions set times = times + 1, repeated_until = @at where ${tx.dialect.anyOf('id', '@ids')}`,
          { ids: decisionIds, at: now.toISOString() },
        )
      }),

    /** Newest first. */
    decisions: ({
      limit = NO_LIMIT,
      ...filter
    }: {
      channel?: string
      rfqId?: string
      limit?: number
    }): Promise<DecisionRecord[]> => find(`${matching(filter)} order by id desc limit @limit`, { ...filter, limit }),

    /** One decision, or null if there is none with this id. */
    decision: async (id: number): Promise<DecisionRecord | null> => (await find('id = @id', { id }))[0] ?? null,

    /** The newest decision about each RFQ of the channel, or about each RFQ of a list. */
    newestDecisions: (channel: string, rfqIds?: readonly string[]) => newest(false, channel, { rfqIds }),

    /** The newest successful close of each RFQ of the channel that was closed since a moment; oldest first. */
    closedSince: ({ channel, since }: { channel: string; since: Date }) =>
      newest(`outcome in ('closed', 'already-closed') and decided_at >= @since`, channel, { since }),

    /** The newest decision with an outcome about each RFQ: the result of its last close. */
    latestCloseReplies: (channel: string, rfqIds?: readonly string[]) => newest(HAS_OUTCOME, channel, { rfqIds }),
  }
}

/**
 * The event of a decision that needs attention; null if it needs none. It does not repeat, because the closing log has one entry per
 * situation, not per round. The recorder writes the event that an RFQ was closed, because it also observes closes made elsewhere.
 */
function eventOf(decision: DecisionRecord): EventDraft | null {
  const { id, channel, rfqId, decidedAt: at, outcome, reason, evidence, hash: head } = decision
  const unsuccessful = outcome === 'refused' || outcome === 'failed' || outcome === 'unknown' ? outcome : null
  if (unsuccessful === null && decision.decision !== 'blocked') return null
  const { approvalPlan: plan, result } = evidence
  if (typeof plan === 'string') {
    // One event for the whole round, which has a decision for each RFQ.
    const again = `quotekeeper close-expired --channel ${quoteForShell(channel)}`
    const remedy = `check them with: ${again} --dry-run; then close exactly these with: ${again} --approve ${plan}`
    return { kind: 'close.blocked', at, channel, key: [plan], data: { reason, plan, remedy, head } }
  }
  const { rfqNumber: number, dueDate: responseDueDate } = decision
  const rfq = { id: rfqId, number, reference: null, title: null, state: null, responseDueDate }
  const remedy =
    unsuccessful === null
      ? 'resolve what blocks closing; the next round tries again'
      : closeRemedy(unsuccessful, { channel, rfqId, since: at })
  return {
    kind: unsuccessful === null ? 'close.blocked' : unsuccessful === 'unknown' ? 'close.unknown' : 'close.refused',
    ...{ at, channel, rfqId, version: decision.versionAfter ?? decision.versionBefore },
    data: { rfq, decision: id, head, reason: typeof result === 'string' ? result : reason, remedy },
  }
}

/** The approver in the evidence of a decision. */
const approverIn = ({ approvedBy }: Record<string, unknown>): string | null =>
  typeof approvedBy === 'string' ? approvedBy : null

const INSERT_DECISION = `
insert into close_decisions (${WRITTEN.map(columnOf).join(', ')}) values (${WRITTEN.map((member) => `@${member}`).join(', ')})
returning ${DECISION}`

/** Its part of the chain. The hash covers the decision as written; the approver is part of its evidence. */
export const DECISION_LOG: ChainedTable<DecisionRow> = {
  name: 'close_decisions',
  columns: DECISION,
  linkOf: (row) => ({ ...row, content: contentOf(row) }),
}

/**
 * The content that the hash of a decision covers; undefined if the text of its evidence is ambiguous: of two members with the same name, such
 * as `approvedBy`, SQLite uses the first and JSON.parse the last.
 */
function contentOf(row: DecisionRow): NewDecision | undefined {
  if (!isJson(row.evidence)) return undefined
  const { id, previousHash, hash, approvedBy, times, repeatedUntil, ...decision } = toDecision(row)
  const { evidence } = decision
  const isAsWritten = row.evidence === canonicalJson(evidence) && row.approvedBy === (evidence.approvedBy ?? null)
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
