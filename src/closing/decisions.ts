import type { DecisionRecord } from '../domain/records.js'
import type { NewDecision } from '../store/contract.js'
import { clockSkewSeconds } from './clock-skew.js'
import type { Candidate, Evaluation } from './evaluate.js'
import type { FreshRead } from './fresh-read.js'
import type { Round } from './round-state.js'
import type { Settlement } from './settlement.js'

/** This many unknown outcomes in a row stop the round (docs/CLOSING.md, rule 5). */
const MAX_CONSECUTIVE_UNKNOWN = 2

interface DecisionInput {
  decision: 'keep' | 'would-close' | 'held'
  /** Default: the reasons of the evaluation. */
  reason?: string
  outcome?: DecisionRecord['outcome']
  read?: FreshRead
}

/**
 * Records a decision that sends nothing. If the newest decision about the RFQ says the same about the same version,
 * nothing is recorded (docs/CLOSING.md, rule 9).
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
    reason: input.reason ?? reasonFor(input.decision, evaluation),
    outcome: input.outcome ?? null,
    httpStatus: null,
    message: null,
    versionAfter: null,
    evidence: evidenceOf(round, candidate, evaluation, input.read ?? null),
  }
  const newest = round.newestDecisions.get(candidate.id)
  const unchanged =
    newest?.decision === decision.decision &&
    newest.reason === decision.reason &&
    newest.versionBefore === decision.versionBefore &&
    newest.outcome === decision.outcome
  if (!unchanged) addToRound(round, await round.context.store.appendDecision(decision))
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
    reason: `${evaluation.for.join('; ')}. ${reason}.`,
    outcome,
    httpStatus: reply?.status ?? null,
    message: reply?.message ?? failure,
    versionAfter: after.version,
    evidence: {
      ...intent.evidence,
      request: {
        operation: 'POST …/rfqs/{id}/close',
        sentAt: sent.length > 0 ? sent : [intent.sentAt],
        posts: intent.posts,
      },
      answer: reply && { status: reply.status, ok: reply.ok, message: reply.message },
      failure,
      verified: { readAt: after.readAt.toISOString(), state: after.state, version: after.version, hash: after.hash },
    },
  }
  addToRound(round, await round.context.store.settleClose(intent, decision))
  round.consecutiveUnknown = outcome === 'unknown' ? round.consecutiveUnknown + 1 : 0
  if (round.consecutiveUnknown >= MAX_CONSECUTIVE_UNKNOWN) {
    round.stopReason = `The round stopped after ${MAX_CONSECUTIVE_UNKNOWN} closes in a row with an unknown outcome.`
  }
}

function addToRound(round: Round, decision: DecisionRecord): void {
  round.decisions.push(decision)
  round.newestDecisions.set(decision.rfqId, decision)
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

/** What a decision is based on. The member names are stored, and shown by `quotekeeper decisions`. */
export function evidenceOf(round: Round, candidate: Candidate, evaluation: Evaluation, read: FreshRead | null) {
  const { policy, poll, calendar, context } = round
  return {
    mode: policy.mode,
    byHand: policy.byHand ?? false,
    approvedPlan: policy.approvedPlan ?? null,
    dueDateAsSent: evaluation.dueDateAsSent,
    timeZone: policy.timeZone,
    graceHours: policy.graceHours,
    today: calendar.dateAt(context.now()),
    for: evaluation.for,
    against: evaluation.against,
    poll: poll && { runId: poll.id, finishedAt: poll.finishedAt, outcome: poll.outcome },
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

function reasonFor(decision: DecisionInput['decision'], evaluation: Evaluation): string {
  if (decision === 'would-close') return `would be closed: ${evaluation.for.join('; ')} (dry run)`
  return evaluation.against.join('; ')
}
