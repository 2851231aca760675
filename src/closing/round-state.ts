import { channelKey } from '../domain/channel.js'
import { type Calendar, calendarOf } from '../domain/expiry.js'
import type { DecisionRecord, RunRecord } from '../domain/records.js'
import type { RunHandle } from '../store/contract.js'
import type { ClosingContext, ClosingPolicy, ClosingResult } from './contract.js'
import { type Candidate, type Evaluation, evaluate } from './evaluate.js'

/** One closing round under way. */
export interface Round {
  context: ClosingContext
  policy: ClosingPolicy
  channel: string
  run: RunHandle
  calendar: Calendar
  /** The poll that the candidates stand in. */
  poll: RunRecord | null
  newestDecisions: Map<string, DecisionRecord>
  decisions: DecisionRecord[]
  failures: ClosingResult['failures']
  /** RFQs weighed, and those whose intent a crash had left. */
  evaluated: Set<string>
  invalid: number
  approvalPlan: string | null
  /** Why no further RFQ is closed in this round. */
  stopReason: string | null
  consecutiveUnknown: number
}

export function createRound(context: ClosingContext, policy: ClosingPolicy, run: RunHandle): Round {
  return {
    context,
    policy,
    channel: channelKey(context.session.channel),
    run,
    calendar: calendarOf(policy.timeZone),
    poll: null,
    newestDecisions: new Map(),
    decisions: [],
    failures: [],
    evaluated: new Set(),
    invalid: 0,
    approvalPlan: null,
    stopReason: null,
    consecutiveUnknown: 0,
  }
}

/** Weighs by the rules of this round, now. */
export const evaluateNow = (round: Round, candidate: Candidate): Evaluation =>
  evaluate(candidate, { calendar: round.calendar, graceHours: round.policy.graceHours, now: round.context.now() })
