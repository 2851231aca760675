import { channelKey } from '../domain/channel.js'
import { type Calendar, createCalendar } from '../domain/expiry.js'
import type { DecisionRecord, RunRecord } from '../domain/records.js'
import { ChannelError, ItemError, UnavailableError } from '../marketplace/errors.js'
import type { ItemFailure, RunProgress } from '../runs.js'
import type { RunHandle } from '../store/contract.js'
import { clockProblem } from './clock-skew.js'
import type { ClosingContext, ClosingPolicy } from './contract.js'
import { type Candidate, type Evaluation, evaluate } from './evaluate.js'
import type { FreshRead } from './fresh-read.js'

/** One closing round in progress. */
export interface Round {
  context: ClosingContext
  policy: ClosingPolicy
  channel: string
  run: RunHandle
  calendar: Calendar
  /** The newest complete or partial poll of the RFQs, null if there is none. */
  poll: RunRecord | null
  /** The newest decision about each RFQ. */
  newestDecisions: Map<string, DecisionRecord>
  /** Decisions recorded in this round. */
  decisions: DecisionRecord[]
  failures: ItemFailure[]
  /** Identifiers of the RFQs evaluated in this round, and of those with an open intent. */
  evaluated: Set<string>
  invalid: number
  approvalPlan: string | null
  /** Why no further RFQ is closed in this round, or null. */
  stopReason: string | null
  consecutiveUnknown: number
}

export function createRound(
  context: ClosingContext,
  policy: ClosingPolicy,
  run: RunHandle,
  { failures }: Pick<RunProgress, 'failures'>,
): Round {
  return {
    context,
    policy,
    channel: channelKey(context.session.channel),
    run,
    calendar: createCalendar(policy.timeZone),
    poll: null,
    newestDecisions: new Map(),
    decisions: [],
    failures,
    evaluated: new Set(),
    invalid: 0,
    approvalPlan: null,
    stopReason: null,
    consecutiveUnknown: 0,
  }
}

/** Evaluates a candidate by the policy of this round, now. */
export const evaluateNow = (round: Round, candidate: Candidate): Evaluation =>
  evaluate(candidate, { calendar: round.calendar, graceHours: round.policy.graceHours, now: round.context.now() })

/** The reason why no POST may follow a fresh read, or null (docs/CLOSING.md, rules 2, 3, 4 and 10). */
export function reasonAgainstPost(round: Round, read: FreshRead, evaluation = evaluateNow(round, read)): string | null {
  return evaluation.against[0] ?? clockProblem(read, round.policy.maxClockSkewSeconds) ?? round.context.killSwitch()
}

/** Does the work for one RFQ; a failure is recorded and stops the round only if it concerns the whole channel. */
export async function withItemFailures(round: Round, id: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof UnavailableError || error instanceof ItemError || error instanceof ChannelError)) throw error
    round.failures.push({ id: `RFQ ${id}`, message: error.message })
    if (error instanceof ChannelError) round.stopReason = error.message
  }
}
