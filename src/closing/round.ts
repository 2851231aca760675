import { channelKey } from '../core/channel.js'
import type { DecisionRecord, RunRecord, UnsettledClose } from '../core/records.js'
import { createCalendar } from '../core/time/expiry.js'
import { ChannelError, ItemError, UnavailableError } from '../marketplace/errors.js'
import type { RunHandle } from '../store/contract.js'
import type { RunProgress } from '../store/runs/with-run.js'
import { readRfqList } from '../sync/list.js'
import type { ClosingContext, ClosingPolicy } from './contract.js'
import { loadEarlierCloses } from './due-rfqs.js'
import { type Candidate, type EvaluatedRfq, evaluate, qualifies, type Reason } from './evaluate.js'

/** How old the list may be when an RFQ is closed, in milliseconds. */
const MAX_LIST_AGE_MS = 60_000

/** Why a round closes no further RFQ, for people too. */
type RoundStop = Pick<NonNullable<RunRecord['stop']>, 'code'> & { text: string; clocks?: string }

/** One closing round in progress. */
export type Round = Awaited<ReturnType<typeof createRound>>

/** A round that has read nothing yet. */
export async function createRound(
  context: ClosingContext,
  policy: ClosingPolicy,
  run: RunHandle,
  progress: RunProgress,
) {
  const channel = channelKey(context.session.channel)
  return {
    ...{ context, policy, channel, run, progress },
    calendar: createCalendar(policy.timeZone),
    /** When the newest list was read; null before. Whether it may not be whole is in `progress`. */
    listReadAt: null as Date | null,
    /** Earlier closes of the RFQs that this round may close. */
    earlier: await loadEarlierCloses(context.store, channel, [], context.now()),
    /** The newest decision about each of them. */
    newestDecisions: new Map<string, DecisionRecord>(),
    /** A person approved exactly the RFQs that qualify. */
    isApproved: false,
    approvalPlan: null as string | null,
    /** Identifiers of earlier decisions that this round repeats. */
    repeated: [] as number[],
    /** Decisions recorded in this round. */
    decisions: [] as DecisionRecord[],
    counts: { closed: 0, alreadyClosed: 0, wouldClose: 0, blocked: 0 },
    unsettled: [] as UnsettledClose[],
    /** Identifiers of the RFQs evaluated in this round, and of those with an open intent. */
    evaluated: new Set<string>(),
    /** Identifiers of those that need no further decision. */
    decided: new Set<string>(),
    /** Why no further RFQ is closed in this round, or null. */
    stop: null as RoundStop | null,
    consecutiveUncertain: 0,
  }
}

/** Reads and records the list, unless that was less than a minute ago. @throws MarketplaceError */
export async function readList(round: Round): Promise<void> {
  const { context, listReadAt, progress } = round
  const age = listReadAt === null ? Number.POSITIVE_INFINITY : context.now().getTime() - listReadAt.getTime()
  if (age >= 0 && age < MAX_LIST_AGE_MS) return
  const { readAt, missing } = await readRfqList(round)
  round.listReadAt = readAt
  progress.missing += missing.length
}

/** Loads earlier decisions about RFQs that this round may close. Most RFQs were closed long ago, so not all are loaded. */
export async function loadDecisions(round: Round, rfqIds: readonly string[]): Promise<void> {
  const { context, channel } = round
  round.earlier = await loadEarlierCloses(context.store, channel, rfqIds, context.now())
  for (const decision of await context.store.newestDecisions(channel, rfqIds))
    round.newestDecisions.set(decision.rfqId, decision)
}

/** Evaluates a candidate by the policy of this round, now. */
export const evaluateNow = (round: Round, candidate: Candidate, options?: { isSecondPost: boolean }): EvaluatedRfq =>
  evaluate(candidate, { ...round, now: round.context.now() }, options)

/**
 * Evaluates an RFQ that was just read; if it qualifies, what blocks all closing is a reason against it. A clock difference stops the
 * round.
 */
export async function evaluateWithBlockers(
  round: Round,
  read: Candidate,
  options: { isSecondPost: boolean },
): Promise<EvaluatedRfq> {
  const rfq = evaluateNow(round, read, options)
  const clock = rfq.against.find(({ code }) => code === 'clock')
  if (clock !== undefined) {
    const text = `No ${round.counts.closed > 0 ? 'further ' : ''}RFQ was closed: ${clock.text}.`
    round.stop = { code: 'clock', text, clocks: clock.text }
  }
  const blocker = qualifies(rfq) ? await findChannelBlocker(round) : null
  if (blocker !== null) rfq.against.push(blocker)
  return rfq
}

/** Whether this round decides about an RFQ: about all of them, unless a person limited it to some. */
export const isInScope = ({ policy: { only, retry } }: Pick<Round, 'policy'>, id: string): boolean =>
  (only ?? retry)?.includes(id) ?? true

/** What blocks all closing of the channel now: the kill switch or the newest list. Also sets the stop reason of the round. */
export async function findChannelBlocker(round: Round): Promise<Reason | null> {
  const { context, progress, policy } = round
  // A person looks at what would be closed before closing is resumed.
  const stopped = policy.mode === 'dry-run' && policy.byHand ? null : await context.killSwitch()
  if (stopped !== null) {
    round.stop = { code: 'kill-switch', text: stopped }
    return { code: 'kill-switch', text: stopped }
  }
  if (!progress.suspicious) return null
  round.stop = { code: 'mass-loss', text: `Nothing is closed. ${progress.incomplete}` }
  return { code: 'mass-loss', text: 'the list may not be whole' }
}

/** Does a step for one RFQ; a failure is recorded and stops the round only if it concerns the whole channel. */
export async function stepForRfq(round: Round, name: string | number, work: () => Promise<void>): Promise<void> {
  try {
    await round.run.step(work)
  } catch (error) {
    if (!(error instanceof UnavailableError || error instanceof ItemError || error instanceof ChannelError)) throw error
    round.progress.failures.push({ id: `RFQ ${name}`, message: error.message })
    if (error instanceof ChannelError) round.stop = { code: 'channel', text: error.message }
  }
}
