import type { Config } from '../config/contract.js'
import { compileCron } from '../config/cron.js'
import type { ListedResponse } from '../core/documents/observation.js'
import type { RequestRates } from '../core/records.js'
import { allowedPerSecond } from '../core/requests/request-ledger.js'
import { ageOf } from '../core/time/clock.js'
import type { PollState, ResponsePollState, RfqPollState, Store } from '../store/contract.js'
import type { PollPlanning } from './contract.js'

/** Share of the request limit for polls of RFQs; the rest is for listings, closing, retries and manual commands. */
const RFQ_POLLS_SHARE = 0.9
/** Minimum budget of a poll: the list and four documents. With a low limit, a poll then takes longer than an interval and ticks are skipped. */
const MIN_REQUESTS = 5
/** The request for the list, which is read before the plan is made. */
const LIST_REQUESTS = 1
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

type PlanningConfig = Pick<Config, 'schedule' | 'scheduleTimeZone' | 'requests' | 'polling'> & {
  channels: readonly { key: string }[]
}

/**
 * Computes the limits of a scheduled poll of the RFQs of a channel (docs/POLLING.md): of the requests that the limit allows until the
 * next tick, an equal part, and what channels left that needed less at their newest planned poll.
 * @returns undefined if no later poll is scheduled: then everything is read
 */
export async function planPoll(
  config: PlanningConfig,
  store: Pick<Store, 'newestRun'>,
  now: Date,
): Promise<PollPlanning | undefined> {
  const { schedule, scheduleTimeZone, requests, polling, channels } = config
  if (schedule.rfqs === null) return undefined
  const cron = compileCron(schedule.rfqs, scheduleTimeZone)
  const nextPollAt = cron.nextTick(now)
  const following = nextPollAt && cron.nextTick(nextPollAt)
  if (nextPollAt === null || following === null) return undefined
  const intervalMs = following.getTime() - nextPollAt.getTime()
  const runs = await Promise.all(
    channels.map(({ key }) => store.newestRun({ channel: key, kind: 'rfqs', isPlanned: true })),
  )
  const needs = runs.map((run) => (run === null ? Infinity : ((run.requests + run.postponed) * 1_000) / intervalMs))
  const perSecond = fairMaximum(allowedPerSecond(requests.perSecond) * RFQ_POLLS_SHARE, needs)
  const budget = Math.floor((perSecond * (nextPollAt.getTime() - now.getTime())) / 1_000)
  return { ...polling, budget: Math.max(MIN_REQUESTS, budget), perSecond, nextPollAt, intervalMs }
}

/** The most that each channel may send so that all together do not exceed a limit, if each sends at most what it needs (max-min fairness). */
function fairMaximum(limit: number, needs: readonly number[]): number {
  let [left, maximum] = [limit, limit]
  for (const [at, need] of needs.toSorted(compare).entries()) {
    maximum = left / (needs.length - at)
    if (need > maximum) break
    left -= need
  }
  return maximum
}

/** Without a plan, every open RFQ is read with all its responses. */
export const READ_EVERYTHING: PollPlanning = {
  ...{ budget: Number.POSITIVE_INFINITY, perSecond: Number.POSITIVE_INFINITY, intervalMs: 1 },
  ...{ nextPollAt: new Date(8.64e15), offersMaxAgeMinutes: 0, urgentHours: 0 },
}

/** An RFQ as its list entry shows it. */
interface ListedRfq {
  id: string
  /** `state` as sent; null if missing or unusable. */
  state: string | null
}

/** An RFQ that needs to be read. */
export interface PlannableRfq extends ListedRfq {
  /** Identifiers of its responses; null if unknown. */
  responseIds: readonly string[] | null
  /** The end of its response due date; null if it has none. */
  dueAt: Date | null
}

/** The stored state of an RFQ that is read again. */
export interface StoredState {
  rfq: RfqPollState
  /** By id. */
  responses: Map<string, ResponsePollState>
}

interface PlanInput {
  /** The stored states of RFQs; new ones have none. */
  states: ReadonlyMap<string, StoredState>
  now: Date
  /** Hours after which a closed RFQ is read again. */
  recheckClosedHours: number
  planning: PollPlanning
}

export interface RequestPlan {
  /** The RFQs to read, in this order, with the responses to read of each. */
  reads: Map<string, Set<string>>
  /** The responses of each RFQ that should be read and are left to the next poll. */
  postponed: ReadonlyMap<string, ReadonlySet<string>>
  /** Requests left for responses whose summaries turn out to have changed. */
  left: number
  rates: RequestRates
}

/** An RFQ or response that may be read. */
interface Candidate {
  rfqId: string
  /** Null for the RFQ itself. */
  responseId: string | null
  /** It should be read by this poll: later, it would become too old before the next one has ended. */
  isDue: boolean
  isClosed: boolean
  /** It is read by every poll, not once within the maximum age. */
  isEveryPoll: boolean
  /** The order by priority: what can be read, urgent, new or changed, open; RFQs before offers. */
  rank: number
  /** From its due date until now, or until then, in milliseconds; the nearest is first within a rank. */
  toDueDate: number
  /** When it should be read at the latest, in epoch milliseconds; what is new or changed is ahead of the others. */
  readBy: number
}

/**
 * Plans the requests of one poll (docs/POLLING.md): which RFQs are read, with which of their responses, in which order, and
 * which are left to the next poll. Never plans more requests than the budget.
 * @param needed the RFQs that need to be read (`needsRead`)
 */
export function planRequests(needed: readonly PlannableRfq[], input: PlanInput): RequestPlan {
  const { budget, perSecond, intervalMs, offersMaxAgeMinutes } = input.planning
  const usable = Math.max(0, budget - LIST_REQUESTS)
  const all = needed.flatMap((rfq) => candidatesOf(rfq, input))
  const inTurn = all.filter((each) => !each.isClosed && !each.isEveryPoll).sort(byDeadline)
  // One less, so that no offer exceeds its maximum age while the next poll is still reading.
  const polls = Math.max(1, Math.floor((offersMaxAgeMinutes * MINUTE_MS) / intervalMs) - 1)
  // Each poll reads at least an equal part of them, so that not all are due at once.
  const part = new Set(inTurn.slice(0, Math.floor(inTurn.length / polls)))
  const due = all.filter((each) => each.isDue || part.has(each))
  const reads = select(due, usable)
  const postponed = new Map(needed.map(({ id }) => [id, new Set<string>()]))
  for (const { rfqId, responseId } of due)
    if (responseId !== null && !reads.get(rfqId)?.has(responseId)) postponed.get(rfqId)?.add(responseId)
  const planned = [...reads.values()].reduce((sum, responses) => sum + 1 + responses.size, 0)
  const everyPoll = all.filter(({ isEveryPoll }) => isEveryPoll).length
  const required = ((LIST_REQUESTS + everyPoll + inTurn.length / polls) * 1_000) / intervalMs
  return { reads, postponed, left: usable - planned, rates: { required, allowed: perSecond } }
}

/** An RFQ with its responses; of one whose last request failed, only the RFQ, because they may be unreadable too. */
function candidatesOf(rfq: PlannableRfq, { states, now, recheckClosedHours, planning }: PlanInput): Candidate[] {
  const { nextPollAt, intervalMs, offersMaxAgeMinutes, urgentHours } = planning
  const state = states.get(rfq.id)
  const isClosed = rfq.state === 'closed'
  const toDueDate = rfq.dueAt === null ? Number.POSITIVE_INFINITY : Math.abs(rfq.dueAt.getTime() - now.getTime())
  const isUrgent = !isClosed && toDueDate <= urgentHours * HOUR_MS
  const patience = offersMaxAgeMinutes * MINUTE_MS
  const toCandidate = (responseId: string | null, stored: PollState | undefined, isPending: boolean): Candidate => {
    const since = stored ? now.getTime() - ageOf(stored.requestedAt ?? stored.firstObservedAt, now) : now.getTime()
    const hasFailed = !isPending && lastRequestFailed(stored)
    const isEveryPoll = isUrgent || (responseId === null && !isClosed)
    const maxAge = isClosed ? recheckClosedHours * HOUR_MS : isEveryPoll ? 0 : patience
    const readBy = since + (isPending ? -patience : hasFailed ? patience : maxAge)
    const isDue = responseId === null || isPending || hasFailed || readBy < nextPollAt.getTime() + intervalMs
    const order = [hasFailed, !isUrgent, !isPending, isClosed, !isPending && responseId !== null]
    const rank = order.reduce((sum, isLater) => 2 * sum + Number(isLater), 0)
    return { rfqId: rfq.id, responseId, isDue, isClosed, isEveryPoll, rank, toDueDate, readBy }
  }
  const isPending = isRfqPending(rfq, state?.rfq)
  if (lastRequestFailed(state?.rfq)) return [toCandidate(null, state?.rfq, false)]
  const present = [...(state?.responses.values() ?? [])].filter(({ missingSince }) => missingSince === null)
  const offers = (rfq.responseIds ?? present.map(({ id }) => id)).map((id) => {
    const response = state?.responses.get(id)
    // A closed RFQ is read rarely, so with all its responses.
    const isNew = (isClosed && isPending) || isResponsePending(response)
    return toCandidate(response?.id ?? id, response, isNew)
  })
  return [toCandidate(null, state?.rfq, isPending), ...offers]
}

/**
 * Selects the documents to read: half of the requests by priority, the others by deadline, so that nothing waits for ever.
 * @returns the RFQs to read, in this order, with the responses to read of each
 */
function select(candidates: readonly Candidate[], budget: number): Map<string, Set<string>> {
  const taken = new Map<string, Set<string>>()
  let left = budget
  /** A response also takes a request for its RFQ, unless that is read anyway. */
  const take = ({ rfqId, responseId }: Candidate, reserve: number) => {
    const responses = taken.get(rfqId) ?? new Set<string>()
    const cost = (taken.has(rfqId) ? 0 : 1) + (responseId === null || responses.has(responseId) ? 0 : 1)
    if (left - cost < reserve) return
    left -= cost
    taken.set(rfqId, responses)
    if (responseId !== null) responses.add(responseId)
  }
  for (const each of candidates.toSorted(byPriority)) take(each, Math.ceil(budget / 2))
  for (const each of candidates.toSorted(byDeadline)) take(each, 0)
  return taken
}

// Compared, not subtracted: Infinity - Infinity is NaN.
const compare = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1)
const byDeadline = (a: Candidate, b: Candidate) => compare(a.readBy, b.readBy) || byPriority(a, b)
const byPriority = (a: Candidate, b: Candidate) => compare(a.rank, b.rank) || compare(a.toDueDate, b.toDueDate)

/**
 * Whether an RFQ must be read again: it is not closed, its list entry changed, the stored RFQ is incomplete, it was missing, or its last
 * read is older than `recheckClosedHours` or of unknown age.
 */
export const needsRead = (
  rfq: ListedRfq,
  known: RfqPollState | undefined,
  recheckClosedHours: number,
  now: Date,
): boolean =>
  rfq.state !== 'closed' ||
  isRfqPending(rfq, known) ||
  known?.readAt == null ||
  known.incomplete === 1 ||
  ageOf(known.readAt, now) >= recheckClosedHours * HOUR_MS

/** Whether an RFQ was never read, or has changed since. */
const isRfqPending = (rfq: ListedRfq, state: RfqPollState | undefined): boolean =>
  state?.readAt == null ||
  state.isEntryRead === 0 ||
  state.missingSince !== null ||
  (rfq.state === 'closed' && state.state !== 'closed')

/** Whether the last request for a document failed. A successful one has the same time as the read, whatever the clocks say. */
export const lastRequestFailed = (state: PollState | undefined): boolean =>
  state !== undefined && state.requestedAt !== null && state.requestedAt !== state.readAt

/** Whether a response was never requested, or has changed since, by its current summary if that is known. */
const isResponsePending = (state: ResponsePollState | undefined, summaryHash = state?.summaryHash): boolean =>
  state === undefined || state.missingSince !== null || state.summaryHash === null || state.summaryHash !== summaryHash

/** Which responses of an RFQ are requested. */
export interface ResponseChoice {
  request: ReadonlySet<string>
  /** Not requested, because it is stored in full: its summary shows only that it still exists. */
  observe: ReadonlySet<string>
  /** Responses that exceed the request budget. */
  postponed: number
}

/**
 * Chooses the responses to request, once the RFQ has been read: those of the plan, and while requests are left, those whose summaries are
 * new or have changed since the plan was made, and all of an RFQ that could not be read before. Takes them from what the plan has left.
 */
export function chooseResponses(
  plan: RequestPlan,
  rfqId: string,
  listed: readonly ListedResponse[],
  state: StoredState | undefined,
): ResponseChoice {
  const choice = { request: new Set<string>(), observe: new Set<string>(), postponed: 0 }
  const planned = plan.reads.get(rfqId)
  const isAllDue = plan.left === Number.POSITIVE_INFINITY || lastRequestFailed(state?.rfq)
  for (const { id, summaryHash } of listed) {
    const stored = state?.responses.get(id)
    const isLeftOver = plan.postponed.get(rfqId)?.has(id) || isAllDue || isResponsePending(stored, summaryHash)
    if (planned?.has(id)) choice.request.add(id)
    else if (isLeftOver && plan.left > 0) {
      choice.request.add(id)
      plan.left--
    } else {
      if (isLeftOver) choice.postponed++
      if (stored?.readAt != null && stored.missingSince === null) choice.observe.add(id)
    }
  }
  return choice
}
