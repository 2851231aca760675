import { channelKey } from '../domain/channel.js'
import { type Calendar, calendarOf } from '../domain/expiry.js'
import type { DecisionRecord, RunHandle, RunRecord } from '../store/contract.js'
import type { ClosingContext, ClosingPolicy, ClosingResult } from './contract.js'
import { type Candidate, type Weighing, weigh } from './evaluate.js'

/** One closing round under way. */
export interface Round {
  context: ClosingContext
  policy: ClosingPolicy
  channel: string
  run: RunHandle
  calendar: Calendar
  /** The poll that the candidates stand in. */
  poll: RunRecord | null
  newest: Map<string, DecisionRecord>
  decisions: DecisionRecord[]
  failures: ClosingResult['failures']
  /** RFQs weighed, and those whose intent a crash had left. */
  weighed: Set<string>
  invalid: number
  heldPlan: string | null
  /** Why no further RFQ is closed in this round. */
  stop: string | null
  unknownInARow: number
}

export function newRound(context: ClosingContext, policy: ClosingPolicy, run: RunHandle): Round {
  return {
    context,
    policy,
    channel: channelKey(context.session.channel),
    run,
    calendar: calendarOf(policy.timeZone),
    poll: null,
    newest: new Map(),
    decisions: [],
    failures: [],
    weighed: new Set(),
    invalid: 0,
    heldPlan: null,
    stop: null,
    unknownInARow: 0,
  }
}

/** Weighs by the rules of this round, now. */
export const weighNow = (round: Round, candidate: Candidate): Weighing =>
  weigh(candidate, { calendar: round.calendar, graceHours: round.policy.graceHours, now: round.context.now() })
