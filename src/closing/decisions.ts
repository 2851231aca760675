import type { DecisionRecord } from '../domain/records.js'
import type { NewDecision } from '../store/contract.js'
import { skewSeconds } from './clock-skew.js'
import type { Candidate, Evaluation } from './evaluate.js'
import type { FreshRead } from './fresh-read.js'
import type { Round } from './round-state.js'
import type { Settlement } from './settlement.js'

/** This many unknown outcomes in a row stop the channel's round. */
const MOST_UNKNOWN = 2

interface Note {
  decision: 'keep' | 'would-close' | 'held'
  reason?: string
  outcome?: DecisionRecord['outcome']
  reading?: FreshRead
}

/** Records a decision that sends nothing; the same one about the same version is recorded once. */
export async function recordDecision(
  round: Round,
  candidate: Candidate,
  weighing: Evaluation,
  what: Note,
): Promise<void> {
  const decision: NewDecision = {
    ...facts(round, candidate, weighing),
    decision: what.decision,
    reason: what.reason ?? sentence(what.decision, weighing),
    outcome: what.outcome ?? null,
    httpStatus: null,
    message: null,
    versionAfter: null,
    evidence: evidenceOf(round, candidate, weighing, what.reading ?? null),
  }
  const before = round.newestDecisions.get(candidate.id)
  const same =
    before?.decision === decision.decision &&
    before.reason === decision.reason &&
    before.versionBefore === decision.versionBefore &&
    before.outcome === decision.outcome
  if (!same) await keep(round, await round.context.store.appendDecision(decision))
}

export async function recordOutcome(
  round: Round,
  reading: FreshRead,
  weighing: Evaluation,
  settlement: Settlement,
): Promise<void> {
  const { intent, reply, failure, after, sent, outcome, reason: words } = settlement
  const decision: NewDecision = {
    ...facts(round, reading, weighing),
    decision: 'close',
    reason: `${weighing.for.join('; ')}. ${words}.`,
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
  await keep(round, await round.context.store.settleClose(intent, decision))
  round.consecutiveUnknown = outcome === 'unknown' ? round.consecutiveUnknown + 1 : 0
  if (round.consecutiveUnknown >= MOST_UNKNOWN)
    round.stopReason = `${MOST_UNKNOWN} closes in a row had no known outcome: the round stopped.`
}

async function keep(round: Round, decision: DecisionRecord): Promise<void> {
  round.decisions.push(decision)
  round.newestDecisions.set(decision.rfqId, decision)
}

const facts = (round: Round, candidate: Candidate, weighing: Evaluation) => ({
  runId: round.run.id,
  channel: round.channel,
  rfqId: candidate.id,
  rfqNumber: weighing.number,
  dueDate: weighing.dueDate,
  timeZone: round.policy.timeZone,
  decidedAt: round.context.now().toISOString(),
  versionBefore: candidate.version,
})

export function evidenceOf(round: Round, candidate: Candidate, weighing: Evaluation, reading: FreshRead | null) {
  const { policy, poll, calendar, context } = round
  return {
    mode: policy.mode,
    byHand: policy.byHand ?? false,
    approvedPlan: policy.approvedPlan ?? null,
    dueDateAsSent: weighing.dueDateAsSent,
    timeZone: policy.timeZone,
    graceHours: policy.graceHours,
    today: calendar.dateAt(context.now()),
    for: weighing.for,
    against: weighing.against,
    poll: poll && { runId: poll.id, finishedAt: poll.finishedAt, outcome: poll.outcome },
    version: candidate.version,
    hash: candidate.hash,
    reading: reading && {
      readAt: reading.readAt.toISOString(),
      clock: reading.answeredAt.toISOString(),
      marketplaceClock: reading.serverDate?.toISOString() ?? null,
      skewSeconds: skewSeconds(reading),
      maxClockSkewSeconds: policy.maxClockSkewSeconds,
    },
  }
}

function sentence(decision: Note['decision'], weighing: Evaluation): string {
  if (decision === 'would-close') return `would be closed: ${weighing.for.join('; ')} (dry run)`
  return weighing.against.join('; ')
}
