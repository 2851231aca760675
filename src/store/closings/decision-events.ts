import { retryCommand } from '../../core/close-intent.js'
import type { EventKind } from '../../core/events/events.js'
import type { DecisionRecord } from '../../core/records.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import type { EventWriter } from '../events/event-writer.js'
import type { Transaction } from '../sql/sql-database.js'

const KINDS: Partial<Record<NonNullable<DecisionRecord['outcome']>, EventKind>> = {
  refused: 'close.refused',
  failed: 'close.refused',
  unknown: 'close.unknown',
}

/**
 * Writes the event of a decision that needs attention. It does not repeat, because the closing log has one entry per situation, not per round.
 * The recorder writes the event that an RFQ was closed, because it also observes closes made elsewhere.
 */
export async function writeDecisionEvent(
  tx: Transaction,
  events: EventWriter,
  decision: DecisionRecord,
): Promise<void> {
  const { channel, rfqId, decidedAt, evidence, reason } = decision
  const kind = decision.decision === 'blocked' ? 'close.blocked' : decision.outcome && KINDS[decision.outcome]
  if (!kind) return
  const rfq = {
    id: rfqId,
    number: decision.rfqNumber,
    reference: null,
    title: null,
    state: null,
    responseDueDate: decision.dueDate,
  }
  const facts = { rfq, decision: decision.id, head: decision.hash }
  const event = { kind, at: decidedAt, channel }
  const { approvalPlan: plan } = evidence
  if (kind === 'close.blocked' && typeof plan === 'string') {
    // One event for the whole round, which has a decision for each RFQ.
    const again = `quotekeeper close-expired --channel ${quoteForShell(channel)}`
    const remedy = `check them with: ${again} --dry-run; then close exactly these with: ${again} --approve ${plan}`
    await events.write(tx, [{ ...event, key: [plan], data: { reason, plan, remedy, head: decision.hash } }])
    return
  }
  const remedies: Partial<Record<EventKind, string>> = {
    'close.blocked': 'resolve what blocks closing; the next round tries again',
    'close.refused': `check on the marketplace why; to ask again: ${retryCommand(channel, decision.rfqId)}`,
    'close.unknown': `check on the marketplace whether it is closed; to ask again: ${retryCommand(channel, decision.rfqId)}`,
  }
  const result = typeof evidence.result === 'string' ? evidence.result : reason
  const data = { ...facts, reason: result, ...(remedies[kind] && { remedy: remedies[kind] }) }
  const version = decision.versionAfter ?? decision.versionBefore
  await events.write(tx, [{ ...event, rfqId, version, data }])
}
