import { channelKey } from '../core/channel.js'
import type { DecisionRecord, RunRecord, UnsettledClose } from '../core/records.js'
import { type Calendar, createCalendar } from '../core/time/expiry.js'
import { ChannelError, ItemError, UnavailableError } from '../marketplace/errors.js'
import type { ListRun, RunHandle } from '../store/contract.js'
import type { ItemFailure, RunProgress } from '../store/runs/with-run.js'
import { clockProblemInGeneral, NO_DATE_HEADER } from './clock-skew-check.js'
import { listBlockReason } from './closing-blockers.js'
import type { ClosingContext, ClosingPolicy, RoundCounts } from './contract.js'
import {
  type Candidate,
  type Evaluation,
  evaluate,
  type Reason,
  resendBlockReason,
  restoreBlockReason,
} from './evaluate.js'
import type { FreshRead } from './fresh-read.js'

/** Why a round closes no further RFQ. */
export interface RoundStop {
  code: NonNullable<RunRecord['stop']>['code']
  /** For people. */
  text: string
  /** The problem with the clocks, if that is why. */
  clocks?: string
}

/** One closing round in progress. */
export interface Round {
  context: ClosingContext
  policy: ClosingPolicy
  channel: string
  run: RunHandle
  calendar: Calendar
  /** The newest poll of the RFQs that read their list, null if there is none. */
  poll: ListRun | null
  /** The newest decision about each RFQ that this round may close. */
  newestDecisions: Map<string, DecisionRecord>
  /** The newest of those with an outcome. */
  closeReplies: Map<string, DecisionRecord>
  /** How many intents of each RFQ were sent within the last 24 hours. */
  sentIntents: Map<string, number>
  /** When a backup of the database was restored last; null if none was. */
  restoredAt: Date | null
  /** Identifiers of the RFQs that a person approved or asked for; null if the round needs no person. */
  chosenIds: ReadonlySet<string> | null
  /** Why the intent of an RFQ stays open, by identifier. */
  unresolved: Map<string, string>
  /** Closes that this round sent, and whose effect is not recorded yet, by identifier of the RFQ. */
  unconfirmed: Map<string, { rfqNumber: number | null; sentAt: string | null }>
  /** Identifiers of earlier decisions that this round repeats. */
  repeated: number[]
  counts: RoundCounts
  unsettled: UnsettledClose[]
  /** Decisions recorded in this round. */
  decisions: DecisionRecord[]
  failures: ItemFailure[]
  /** Identifiers of the RFQs evaluated in this round, and of those with an open intent. */
  evaluated: Set<string>
  invalid: number
  approvalPlan: string | null
  /** Why no further RFQ is closed in this round, or null. */
  stop: RoundStop | null
  consecutiveUncertain: number
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
    closeReplies: new Map(),
    sentIntents: new Map(),
    restoredAt: null,
    chosenIds: policy.retry ? new Set(policy.retry) : null,
    unresolved: new Map(),
    unconfirmed: new Map(),
    repeated: [],
    counts: { closed: 0, alreadyClosed: 0, wouldClose: 0, blocked: 0 },
    unsettled: [],
    decisions: [],
    failures,
    evaluated: new Set(),
    invalid: 0,
    approvalPlan: null,
    stop: null,
    consecutiveUncertain: 0,
  }
}

/** The beginning of the 24 hours in which the closes of an RFQ are limited. */
export const dayBefore = (now: Date): Date => new Date(now.getTime() - 24 * 3_600_000)

/** Loads earlier decisions about some RFQs. Most RFQs were closed long ago, so not all are loaded. */
export async function loadDecisions(round: Round, rfqIds: readonly string[]): Promise<void> {
  const { store } = round.context
  for (const decision of await store.newestDecisions(round.channel, rfqIds))
    round.newestDecisions.set(decision.rfqId, decision)
  for (const reply of await store.latestCloseReplies(round.channel, rfqIds)) round.closeReplies.set(reply.rfqId, reply)
}

/** Evaluates a candidate by the policy of this round, now. */
export const evaluateNow = (round: Round, candidate: Candidate): Evaluation =>
  evaluate(candidate, { calendar: round.calendar, graceHours: round.policy.graceHours, now: round.context.now() })

/** Whether a person asked for this RFQ by name. */
export const isRetried = (round: Round, id: string): boolean => round.policy.retry?.includes(id) ?? false

/** Whether this round decides about an RFQ: about all of them, unless a person limited it to some. */
export const isInScope = ({ policy: { only } }: Pick<Round, 'policy'>, id: string): boolean =>
  only?.includes(id) ?? true

/** Why an RFQ that qualifies is not sent again without a person, or null (docs/CLOSING.md, rules 5 and 11). */
export function sendBlockReason(round: Round, candidate: Candidate): Reason | null {
  if (isRetried(round, candidate.id)) return null
  return resendBlockReason(candidate, {
    ...restoreContext(round, candidate),
    sent: round.sentIntents.get(candidate.id) ?? 0,
    now: round.context.now(),
  })
}

const restoreContext = ({ calendar, policy, restoredAt, closeReplies }: Round, { id }: Candidate) => {
  return { calendar, graceHours: policy.graceHours, restoredAt, reply: closeReplies.get(id) }
}

/** Whether an intent that was sent may be sent once more: `wait` for a reason that passes, `never` for one that stays. */
export type ResendDecision = { kind: 'send' } | { kind: 'wait' | 'never'; reason: string }

/** Whether a second POST may follow a read (docs/CLOSING.md, rules 2, 3, 4, 7, 10 and 11). */
export async function decideResend(
  round: Round,
  read: FreshRead,
  evaluation = evaluateNow(round, read),
): Promise<ResendDecision> {
  const { policy, context, channel } = round
  round.poll = await context.store.newestListRead(channel, context.now())
  const lost = isRetried(round, read.id) ? null : restoreBlockReason(read, restoreContext(round, read))
  const against = evaluation.against[0] ?? lost
  if (against) return { kind: 'never', reason: against.text }
  const reason =
    (await context.killSwitch()) ??
    (policy.mode === 'on' ? null : 'the round is a dry run') ??
    clockProblemInGeneral(read, policy.maxClockSkewSeconds) ??
    listBlockReason(round.poll)?.text ??
    null
  return reason === null ? { kind: 'send' } : { kind: 'wait', reason }
}

/** Stops the round because the clocks differ too much. */
export function stopForClocks(round: Round, clocks: string): void {
  const text = `No ${round.counts.closed > 0 ? 'further ' : ''}RFQ was closed: ${clocks}.`
  round.stop = { code: clocks === NO_DATE_HEADER ? 'no-date-header' : 'clock', text, clocks }
}

/** Does the work for one RFQ; a failure is recorded and stops the round only if it concerns the whole channel. */
export async function withItemFailures(round: Round, id: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof UnavailableError || error instanceof ItemError || error instanceof ChannelError)) throw error
    round.failures.push({ id: `RFQ ${id}`, message: error.message })
    if (error instanceof ChannelError) round.stop = { code: 'channel', text: error.message }
  }
}
