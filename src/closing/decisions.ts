import type { DecisionRecord } from '../core/records.js'
import { clockSkewSeconds } from '../core/time/clock-skew.js'
import type { NewDecision } from '../store/contract.js'
import { dueDateAsSent, type EvaluatedRfq, hashWithoutUpdateTimes, isSameContent, type ReasonCode } from './evaluate.js'
import type { Round } from './round.js'

/** Reasons against all RFQs of a channel. */
const BLOCKERS: ReadonlySet<ReasonCode> = new Set(['kill-switch', 'mass-loss', 'max-per-run'])

/**
 * Records a decision that sends nothing. If the newest decision about the RFQ is the same for the same reasons, and its
 * content has not changed, only the repetition is counted (docs/CLOSING.md, rule 9).
 */
export async function recordDecision(round: Round, rfq: EvaluatedRfq): Promise<void> {
  const { against } = rfq
  const isBlocked = against.some(({ code }) => BLOCKERS.has(code))
  const wouldClose = `would be closed: ${rfq.for.join('; ')} (dry run)`
  const decision: NewDecision = {
    ...commonFields(round, rfq),
    decision: against.length === 0 ? 'would-close' : isBlocked ? 'blocked' : 'keep',
    reason: against.length === 0 ? wouldClose : against.map(({ text }) => text).join('; '),
    outcome: rfq.state === 'closed' ? 'already-closed' : null,
    httpStatus: null,
    message: null,
    versionAfter: null,
    evidence: evidenceOf(round, rfq),
  }
  round.decided.add(rfq.id)
  if (decision.decision === 'would-close') round.counts.wouldClose++
  if (isBlocked) round.counts.blocked++
  const newest = round.newestDecisions.get(rfq.id)
  if (newest && isRepetition(newest, decision) && isSameContent(newest.evidence, rfq)) {
    round.repeated.push(newest.id)
    return
  }
  const evidence = { ...decision.evidence, hashWithoutUpdateTimes: hashWithoutUpdateTimes(rfq.body) }
  addToRound(round, await round.context.store.appendDecision({ ...decision, evidence }))
}

/**
 * Compares reasons by their codes, because their texts contain dates, run numbers and amounts. A round that a person started for this
 * RFQ always records a decision.
 */
function isRepetition(newest: DecisionRecord, decision: NewDecision): boolean {
  const compared = ({ evidence, ...fields }: NewDecision) =>
    JSON.stringify([
      fields.decision,
      fields.outcome,
      fields.dueDate,
      fields.timeZone,
      evidence.codes,
      evidence.approvalPlan,
      evidence.approvedBy,
      evidence.only === true ? evidence.startedBy : null,
      // Who stopped closing, and why.
      Array.isArray(evidence.codes) && evidence.codes.includes('kill-switch') ? fields.reason : null,
    ])
  return compared(newest) === compared(decision)
}

/** Adds a recorded decision to the results of the round. */
export function addToRound(round: Round, decision: DecisionRecord): void {
  round.context.onDecision?.(decision)
  round.decisions.push(decision)
  round.newestDecisions.set(decision.rfqId, decision)
  if (decision.outcome === null) return
  round.earlier.closeReplies.set(decision.rfqId, decision)
  if (decision.outcome === 'closed') round.counts.closed++
  if (decision.outcome === 'already-closed') round.counts.alreadyClosed++
}

/** What every decision about an RFQ says. */
export const commonFields = (round: Round, { id, document, version }: EvaluatedRfq) => ({
  runId: round.run.id,
  channel: round.channel,
  rfqId: id,
  rfqNumber: document?.number ?? null,
  dueDate: document?.responseDueDate ?? null,
  timeZone: round.policy.timeZone,
  decidedAt: round.context.now().toISOString(),
  versionBefore: version,
})

/** What a decision is based on. It is stored as JSON, and `quotekeeper closings` shows it. */
export function evidenceOf(round: Round, rfq: EvaluatedRfq) {
  const { policy, calendar, context, run, listReadAt, progress } = round
  const { id, against, reading } = rfq
  const isRetried = policy.retry?.includes(id) ?? false
  const codes = against.map(({ code }) => code)
  return {
    mode: policy.mode,
    byHand: policy.byHand ?? false,
    startedBy: policy.startedBy ?? null,
    only: policy.only?.includes(id) ?? false,
    approvedPlan: round.isApproved ? (policy.approvedPlan ?? null) : null,
    approvedBy: round.isApproved || isRetried ? (policy.approvedBy ?? null) : null,
    retryOf: isRetried ? (round.earlier.closeReplies.get(id)?.id ?? null) : null,
    approvalPlan: codes.includes('max-per-run') ? round.approvalPlan : null,
    codes,
    dueDateAsSent: dueDateAsSent(rfq),
    timeZone: policy.timeZone,
    graceHours: policy.graceHours,
    today: calendar.dateAt(context.now()),
    for: rfq.for,
    against: against.map(({ text }) => text),
    list: listReadAt && { runId: run.id, readAt: listReadAt.toISOString(), isWhole: !progress.suspicious },
    version: rfq.version,
    hash: rfq.hash,
    reading: reading && {
      readAt: reading.readAt.toISOString(),
      clock: reading.answeredAt.toISOString(),
      marketplaceClock: reading.serverDate?.toISOString() ?? null,
      skewSeconds: clockSkewSeconds(reading),
      maxClockSkewSeconds: policy.maxClockSkewSeconds,
    },
  }
}
