import type { CloseOutcome, DecisionRecord } from '../core/records.js'
import { clockSkewSeconds } from '../core/time/clock-skew.js'
import type { CloseResult } from '../marketplace/contract.js'
import type { CloseIntent, NewDecision } from '../store/contract.js'
import { isSameClockProblem } from './clock-skew-check.js'
import {
  type Candidate,
  type Evaluation,
  hashWithoutUpdateTimes,
  isSameContent,
  type Reason,
  type ReasonCode,
} from './evaluate.js'
import type { FreshRead } from './fresh-read.js'
import type { Round } from './round.js'

/** This many closes in a row with an uncertain effect stop the round (docs/CLOSING.md, rule 5). */
const MAX_CONSECUTIVE_UNCERTAIN = 2

interface DecisionInput {
  decision: 'keep' | 'would-close' | 'blocked'
  /** What blocks closing, if the decision is `blocked`. */
  blocker?: Reason
  outcome?: DecisionRecord['outcome']
  read?: FreshRead
}

/**
 * Records a decision that sends nothing. If the newest decision about the RFQ is the same for the same reasons, and its
 * content has not changed, only the repetition is counted (docs/CLOSING.md, rule 9).
 */
export async function recordDecision(
  round: Round,
  candidate: Candidate,
  evaluation: Evaluation,
  input: DecisionInput,
): Promise<void> {
  const decision: NewDecision = {
    ...commonFields(round, candidate, evaluation),
    decision: input.decision,
    reason: reasonFor(input, evaluation),
    outcome: input.outcome ?? null,
    httpStatus: null,
    message: null,
    versionAfter: null,
    evidence: evidenceOf(round, candidate, evaluation, { read: input.read, blocker: input.blocker }),
  }
  if (decision.decision === 'would-close') round.counts.wouldClose++
  if (decision.decision === 'blocked') round.counts.blocked++
  const newest = round.newestDecisions.get(candidate.id)
  if (newest && isRepetition(newest, decision, candidate)) {
    round.repeated.push(newest.id)
    return
  }
  const evidence = { ...decision.evidence, hashWithoutUpdateTimes: hashWithoutUpdateTimes(candidate.body) }
  addToRound(round, await round.context.store.appendDecision({ ...decision, evidence }))
}

/**
 * Compares reasons by their codes, because their texts contain dates and run numbers. The clock difference must also be about the
 * same, because the earlier decision states it. A round that a person started for this RFQ always records a decision.
 */
function isRepetition(newest: DecisionRecord, decision: NewDecision, candidate: Candidate): boolean {
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
  return (
    compared(newest) === compared(decision) &&
    (!hasCode(decision, 'clock') || isSameClockProblem(clocksOf(newest), clocksOf(decision))) &&
    isSameContent(newest.evidence, candidate)
  )
}

const hasCode = ({ evidence: { codes } }: NewDecision, code: ReasonCode) => Array.isArray(codes) && codes.includes(code)

const clocksOf = ({ evidence }: NewDecision) => (evidence.reading ?? {}) as Parameters<typeof isSameClockProblem>[0]

/** How a close ended, as shown by a read. */
export interface Settlement {
  intent: CloseIntent
  /** Null if nothing was sent and the RFQ is not closed. */
  outcome: CloseOutcome | null
  reason: string
  reply: CloseResult | null
  /** Why no reply arrived, or null. */
  failure: string | null
  after: FreshRead
  /** When the first byte of each POST of this round was sent. */
  sent: string[]
}

/** Records how a close ended, and settles its intent with it. */
export async function recordOutcome(
  round: Round,
  read: FreshRead,
  evaluation: Evaluation,
  settlement: Settlement,
): Promise<void> {
  const { intent, reply, failure, after, sent, outcome, reason } = settlement
  const decision: NewDecision = {
    ...commonFields(round, read, evaluation),
    decision: 'close',
    reason: `${evaluation.for.join('; ')}. ${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
    outcome,
    httpStatus: reply?.status ?? null,
    message: reply?.message ?? failure,
    versionAfter: after.version,
    evidence: {
      ...intent.evidence,
      result: reason,
      request: {
        operation: 'POST …/rfqs/{id}/close',
        sentAt: sent.length > 0 ? sent : intent.posts > 0 ? [intent.sentAt] : [],
        posts: intent.posts,
      },
      answer: reply && { status: reply.status, ok: reply.ok, message: reply.message },
      failure,
      verified: {
        readAt: after.readAt.toISOString(),
        state: after.state,
        version: after.version,
        hash: after.hash,
        hashWithoutUpdateTimes: hashWithoutUpdateTimes(after.body),
      },
    },
  }
  addToRound(round, await round.context.store.settleClose(intent, decision))
  round.consecutiveUncertain = outcome === 'unknown' || outcome === 'failed' ? round.consecutiveUncertain + 1 : 0
  if (round.consecutiveUncertain >= MAX_CONSECUTIVE_UNCERTAIN) {
    const text = `The round stopped after ${MAX_CONSECUTIVE_UNCERTAIN} closes in a row with an uncertain effect.`
    round.stop = { code: 'uncertain-effects', text }
  }
}

function addToRound(round: Round, decision: DecisionRecord): void {
  round.context.onDecision?.(decision)
  round.decisions.push(decision)
  round.newestDecisions.set(decision.rfqId, decision)
  if (decision.outcome === null) return
  round.earlier.closeReplies.set(decision.rfqId, decision)
  if (decision.outcome === 'closed') round.counts.closed++
  if (decision.outcome === 'already-closed') round.counts.alreadyClosed++
}

const commonFields = (round: Round, candidate: Candidate, evaluation: Evaluation) => ({
  runId: round.run.id,
  channel: round.channel,
  rfqId: candidate.id,
  rfqNumber: evaluation.number,
  dueDate: evaluation.dueDate,
  timeZone: round.policy.timeZone,
  decidedAt: round.context.now().toISOString(),
  versionBefore: candidate.version,
})

/** What a decision is based on. It is stored as JSON, and `quotekeeper closings` shows it. */
export function evidenceOf(
  round: Round,
  candidate: Candidate,
  evaluation: Evaluation,
  { read = null, blocker }: { read?: FreshRead | null | undefined; blocker?: Reason | undefined } = {},
) {
  const { policy, calendar, context, run, listReadAt, progress } = round
  const isRetried = policy.retry?.includes(candidate.id) ?? false
  return {
    mode: policy.mode,
    byHand: policy.byHand ?? false,
    startedBy: policy.startedBy ?? null,
    only: policy.only?.includes(candidate.id) ?? false,
    approvedPlan: round.isApproved ? (policy.approvedPlan ?? null) : null,
    approvedBy: round.isApproved || isRetried ? (policy.approvedBy ?? null) : null,
    retryOf: isRetried ? (round.earlier.closeReplies.get(candidate.id)?.id ?? null) : null,
    approvalPlan: blocker ? round.approvalPlan : null,
    codes: [...evaluation.against, ...(blocker ? [blocker] : [])].map(({ code }) => code),
    dueDateAsSent: evaluation.dueDateAsSent,
    timeZone: policy.timeZone,
    graceHours: policy.graceHours,
    today: calendar.dateAt(context.now()),
    for: evaluation.for,
    against: evaluation.against.map(({ text }) => text),
    list: listReadAt && { runId: run.id, readAt: listReadAt.toISOString(), isWhole: !progress.suspicious },
    version: candidate.version,
    hash: candidate.hash,
    reading: read && {
      readAt: read.readAt.toISOString(),
      clock: read.answeredAt.toISOString(),
      marketplaceClock: read.serverDate?.toISOString() ?? null,
      skewSeconds: clockSkewSeconds(read),
      maxClockSkewSeconds: policy.maxClockSkewSeconds,
    },
  }
}

function reasonFor({ decision, blocker }: DecisionInput, evaluation: Evaluation): string {
  if (blocker) return blocker.text
  if (decision === 'would-close') return `would be closed: ${evaluation.for.join('; ')} (dry run)`
  return evaluation.against.map(({ text }) => text).join('; ')
}
