import { hash } from 'node:crypto'
import { quoteForShell } from '../core/text/quote-for-shell.js'
import { createCalendar } from '../core/time/expiry.js'
import type { Store } from '../store/contract.js'
import type { ClosingPolicy } from './contract.js'
import {
  type EarlierCloses,
  type EvaluatedRfq,
  type EvaluationContext,
  evaluate,
  qualifies,
  storedCandidate,
} from './evaluate.js'

export type ClosingQueries = Pick<
  Store,
  'rfqs' | 'unclosedRfqs' | 'latestCloseReplies' | 'openIntents' | 'sentIntents' | 'restoredAt'
>

/** What earlier closes of a channel mean for these RFQs now. */
export async function loadEarlierCloses(
  store: ClosingQueries,
  channel: string,
  rfqIds: readonly string[],
  now: Date,
): Promise<EarlierCloses> {
  const [intents, replies, sentIntents, restoredAt] = await Promise.all([
    store.openIntents(channel),
    store.latestCloseReplies(channel, rfqIds),
    store.sentIntents(channel, new Date(now.getTime() - 24 * 3_600_000)),
    store.restoredAt(),
  ])
  const openIntents = new Set(intents.map(({ rfqId }) => rfqId))
  return { openIntents, closeReplies: new Map(replies.map((each) => [each.rfqId, each])), sentIntents, restoredAt }
}

/** Evaluates RFQs by what is stored of them. RFQs that are not stored are left out. */
export async function evaluateStored(
  store: Pick<Store, 'rfqs'>,
  { channel, ids }: { channel: string; ids: readonly string[] },
  context: EvaluationContext,
): Promise<EvaluatedRfq[]> {
  if (ids.length === 0) return []
  const stored = await store.rfqs({ channel, ids, withoutResponses: true })
  return stored.map(({ rfq }) => evaluate(storedCandidate(rfq), context))
}

/** What a round with more RFQs than `maxPerRun` waits for (docs/CLOSING.md, rule 5). */
export interface Approval {
  plan: string
  /** Why the round is blocked. */
  reason: string
  /** The command with which a person approves it. */
  command: string
}

/**
 * The approval that a closing round needs; null if it is small enough. The plan is a hash, so that it approves only the RFQs that a person
 * saw, with their due dates, on the same day.
 * @param day in the time zone of the channel, YYYY-MM-DD
 * @param qualified the RFQs that qualify
 */
export function approvalOf(
  { channel, day, maxPerRun }: { channel: string; day: string; maxPerRun: number },
  qualified: readonly EvaluatedRfq[],
): Approval | null {
  if (qualified.length <= maxPerRun) return null
  const rfqs = qualified.map(({ id, document }) => JSON.stringify([id, document?.responseDueDate])).sort()
  const plan = `plan-${hash('sha256', JSON.stringify([channel, day, rfqs])).slice(0, 12)}`
  return {
    plan,
    reason: `${qualified.length} RFQs are past due, more than maxPerRun (${maxPerRun}): blocked until approved (${plan})`,
    command: `quotekeeper close-expired --channel ${quoteForShell(channel)} --approve ${plan}`,
  }
}

/**
 * Evaluates RFQs as stored by the rules of a round (docs/CLOSING.md), without sending, reading from the marketplace or recording
 * anything. The round itself decides: it also reads the list and each RFQ again, and compares the clocks.
 * @param rfqs.ids default: all that a round would evaluate, and `others`
 * @returns those that are stored, and what a round that started now would wait for
 */
export async function previewCloses(
  store: ClosingQueries,
  { channel, ids, others = [] }: { channel: string; ids?: readonly string[] | undefined; others?: readonly string[] },
  policy: Pick<ClosingPolicy, 'timeZone' | 'graceHours' | 'maxPerRun' | 'maxClockSkewSeconds'>,
  now: Date,
): Promise<{ rfqs: EvaluatedRfq[]; approval: Approval | null }> {
  const calendar = createCalendar(policy.timeZone)
  const day = calendar.dateAt(now)
  const due = await store.unclosedRfqs({ channel, dueBefore: day })
  const wanted = ids ?? [...new Set([...due, ...others])]
  const earlier = await loadEarlierCloses(store, channel, [...new Set([...wanted, ...due])], now)
  const context = { policy, calendar, earlier, now }
  const rfqs = await evaluateStored(store, { channel, ids: wanted }, context)
  // The documents of all others are read only if so many are due that the round may be too large.
  const restIds = due.length > policy.maxPerRun && rfqs.some(qualifies) ? due.filter((id) => !wanted.includes(id)) : []
  const rest = await evaluateStored(store, { channel, ids: restIds }, context)
  const { maxPerRun } = policy
  return { rfqs, approval: approvalOf({ channel, day, maxPerRun }, [...rfqs, ...rest].filter(qualifies)) }
}
