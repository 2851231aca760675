import { closeRemedy } from '../../core/close-intent.js'
import type { DecisionRecord } from '../../core/records.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import { AWARD_LOG, findChangedAward } from '../awards/award-queries.js'
import { type EventDraft, writeEvents } from '../events/event-writer.js'
import { appendLink, type ChainedTable, type ChainReport, numberOfHash, verifyChain } from '../sql/hash-chain.js'
import {
  allOf,
  matching,
  membersOf,
  NO_LIMIT,
  type Queries,
  type SqlDatabase,
  type SqlParameters,
  storableJson,
  type Transaction,
} from '../sql/sql-database.js'

/** A decision to be appended. */
export type NewDecision = Omit<
  DecisionRecord,
  'id' | 'previousHash' | 'hash' | 'approvedBy' | 'times' | 'repeatedUntil'
>

/** Its part of the chain. The hash does not cover how often a decision was repeated. */
export const DECISION_LOG: ChainedTable = {
  name: 'close_decisions',
  content: [
    ...['runId', 'channel', 'rfqId', 'rfqNumber', 'dueDate', 'timeZone', 'decidedAt', 'decision', 'reason', 'outcome'],
    ...['httpStatus', 'message', 'versionBefore', 'versionAfter', 'evidence', 'approvedBy'],
  ],
}
const DECISION = membersOf('id', ...DECISION_LOG.content, 'previousHash', 'hash', 'times', 'repeatedUntil')

/** The decisions that meet an SQL condition. */
export async function findDecisions(
  queries: Queries,
  where: string,
  parameters: SqlParameters,
): Promise<DecisionRecord[]> {
  const rows = await queries.all<Omit<DecisionRecord, 'evidence'> & { evidence: string }>(
    `select ${DECISION} from close_decisions where ${where}`,
    parameters,
  )
  return rows.map((row) => ({ ...row, evidence: JSON.parse(row.evidence) as DecisionRecord['evidence'] }))
}

/** SQL condition: a decision is the newest about its RFQ of those that meet a condition. */
export const isNewestOf = (condition: string): string =>
  `id in (select max(id) from close_decisions where ${condition} group by channel, rfq_id)`

/** Appends a decision. */
export async function appendDecision(tx: Transaction, decision: NewDecision): Promise<DecisionRecord> {
  const { approvedBy } = decision.evidence
  const id = await appendLink(tx, DECISION_LOG, {
    ...decision,
    evidence: storableJson(decision.evidence),
    approvedBy: typeof approvedBy === 'string' ? approvedBy : null,
  })
  const [appended] = (await findDecisions(tx, 'id = @id', { id })) as [DecisionRecord]
  await writeEvents(tx, eventsOf(appended))
  return appended
}

/** Verifies the hash chain of closing decisions and awards, with the workbooks and settings of awards. */
export async function verifyDecisions(queries: Queries): Promise<ChainReport> {
  const report = await verifyChain(queries, [DECISION_LOG, AWARD_LOG])
  const changed = report.brokenAt === null ? await findChangedAward(queries) : null
  if (changed === null) return report
  const message = `The ${changed.part} of award ${changed.id} was changed or removed after the award was recorded.`
  return { ...report, brokenAt: changed.id, message }
}

/** The closing log: append-only (docs/CLOSING.md, rule 9). */
export function createDecisionLog(database: SqlDatabase) {
  const newest = (condition: string | false, channel: string, rfqIds: readonly string[]) => {
    const found = allOf('channel = @channel', database.dialect.anyOf('rfq_id', '@rfqIds'), condition)
    return findDecisions(database, `${isNewestOf(found)} order by id`, { channel, rfqIds })
  }

  return {
    appendDecision: (decision: NewDecision) => database.write((tx) => appendDecision(tx, decision)),

    /** Counts another round with the same decision, for each decision (docs/CLOSING.md, rule 9). */
    recordRepeats: (decisionIds: readonly number[], now: Date) =>
      database.write((tx) =>
        tx.run(
          `update close_decisions set times = times + 1, repeated_until = @at where ${tx.dialect.anyOf('id', '@ids')}`,
          { ids: decisionIds, at: now.toISOString() },
        ),
      ),

    /** Newest first. */
    decisions: ({ limit = NO_LIMIT, ...filter }: { id?: number; channel?: string; rfqId?: string; limit?: number }) =>
      findDecisions(database, `${matching(filter)} order by id desc limit @limit`, { ...filter, limit }),

    /** The newest decision about each of these RFQs. */
    newestDecisions: (channel: string, rfqIds: readonly string[]) => newest(false, channel, rfqIds),

    /** The newest decision with an outcome about each of these RFQs: the result of its last close. */
    latestCloseReplies: (channel: string, rfqIds: readonly string[]) => newest('outcome is not null', channel, rfqIds),

    /** The number of the decision or award with this hash; null if there is none. */
    decisionWithHash: (hash: string) => numberOfHash(database, hash),
    verifyDecisions: () => verifyDecisions(database),
  }
}

/**
 * The event of a decision that needs attention. It does not repeat, because the closing log has one entry per situation, not per round. The
 * recorder writes the event that an RFQ was closed, because it also observes closes made elsewhere.
 */
function eventsOf(decision: DecisionRecord): EventDraft[] {
  const { id, channel, rfqId, decidedAt: at, outcome, reason, evidence, hash: head } = decision
  const unsuccessful = outcome === 'refused' || outcome === 'failed' || outcome === 'unknown' ? outcome : null
  if (unsuccessful === null && decision.decision !== 'blocked') return []
  const { approvalPlan: plan, result } = evidence
  const { state = 'open' } = (evidence.verified ?? {}) as { state?: string | null }
  if (typeof plan === 'string') {
    // One event for the whole round, which has a decision for each RFQ.
    const again = `quotekeeper close-expired --channel ${quoteForShell(channel)}`
    const remedy = `check them with: ${again} --dry-run; then close exactly these with: ${again} --approve ${plan}`
    return [{ kind: 'close.blocked', at, channel, key: [plan], data: { reason, plan, remedy, head } }]
  }
  const remedy =
    unsuccessful === null
      ? 'resolve what blocks closing; the next round tries again'
      : closeRemedy(unsuccessful, { channel, rfqId, state })
  const data = { decision: id, head, reason: typeof result === 'string' ? result : reason, remedy }
  const kind = unsuccessful === null ? 'close.blocked' : unsuccessful === 'unknown' ? 'close.unknown' : 'close.refused'
  return [{ kind, at, channel, rfqId, data }]
}
