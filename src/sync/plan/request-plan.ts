import { ageOf } from '../../core/time/clock.js'
import { TimeSlice } from '../../core/time/time-slice.js'
import type { ResponsePollState, RfqPollState } from '../../store/contract.js'
import type { StoredResponses } from '../stored-responses.js'
import { isEntryRead, lastRequestFailed, reasonToReadNow } from './read-reasons.js'
import {
  bringForward,
  higherPriority,
  isUrgent,
  LIST_REQUESTS,
  measureLoad,
  PRIORITY,
  pollsUntilStale,
  type ReadCandidate,
  type RfqCandidate,
} from './request-load.js'
import type { PlanInput, PlannableRfq, PlannedRfq, ReadReason, RequestPlan } from './request-plan-model.js'
import { selectRequests } from './request-selection.js'

/** Share of the budget reserved for responses whose summaries turn out to have changed once their RFQ is read. */
const CHANGES_SHARE = 0.1

/**
 * Plans the requests of one poll (docs/POLLING.md): which RFQs are read, with which of their responses, in which order, and
 * which are left to the next poll. Never plans more requests than the budget. Works in slices, so that tens of thousands of
 * documents do not block the event loop.
 */
export async function planRequests(input: PlanInput): Promise<RequestPlan> {
  const { planning } = input
  const slice = new TimeSlice()
  const candidates: RfqCandidate[] = []
  const unchanged: string[] = []
  for (const rfq of input.listed) {
    const candidate = toCandidate(rfq, input)
    if (candidate === null) unchanged.push(rfq.id)
    else candidates.push(candidate)
    if (slice.isOver) await slice.next()
  }
  const budget = withoutListRequest(planning.budget)
  const load = measureLoad(candidates, usableRequests(withoutListRequest(planning.usualBudget)), planning)
  await bringForward(candidates, load, slice)
  for (const candidate of candidates) candidate.waitingSince = earliestWaitingSince(candidate)
  await slice.next()
  candidates.sort(byPriority)
  const { ageMinutes } = load.rates
  const taken = await selectRequests(
    candidates,
    { usable: usableRequests(budget), now: input.now, planning, ageMinutes },
    slice,
  )
  const reads: PlannedRfq[] = []
  const postponed: PlannedRfq[] = []
  for (const candidate of candidates) {
    const responses = taken.get(candidate)
    ;(responses ? reads : postponed).push(toPlanned(candidate, responses ?? new Set()))
    if (slice.isOver) await slice.next()
  }
  const used = reads.reduce((sum, { responses }) => sum + 1 + responses.size, 0)
  return { reads, postponed, unchanged, unused: budget - used, rates: load.rates }
}

/** The part of a budget that is left for RFQs and responses. */
const withoutListRequest = (budget: number) => Math.max(0, Math.floor(budget) - LIST_REQUESTS)

const usableRequests = (budget: number) => budget - Math.floor(budget * CHANGES_SHARE)

const toPlanned = ({ id, reason, responses }: RfqCandidate, taken: ReadonlySet<string>): PlannedRfq => ({
  id,
  reason,
  responses: taken,
  postponed: new Set(responses.flatMap((item) => (taken.has(item.id) || item.slack > 0 ? [] : [item.id]))),
})

/** The reads that an RFQ of the list needs; null if it need not be read. */
function toCandidate(rfq: PlannableRfq, input: PlanInput): RfqCandidate | null {
  const { known, responses, now, planning } = input
  if (rfq.reasonToRead === null) return null
  const closed = rfq.state === 'closed'
  const urgent = !closed && rfq.dueAt !== null && isUrgent(rfq.dueAt, planning, now)
  const item = rfqItem(rfq, known.get(rfq.id), urgent, input)
  const candidate: RfqCandidate = {
    id: rfq.id,
    reason: item.reason,
    rfq: item,
    urgent,
    waitingSince: 0,
    dueAt: rfq.dueAt?.getTime() ?? Number.POSITIVE_INFINITY,
    responses: [],
    deferrable: [],
    closed,
  }
  const stored = responses.get(rfq.id)
  for (const id of rfq.responseIds ?? presentIds(stored)) {
    const state = stored?.get(id)
    const response = responseItem(state?.id ?? id, state, urgent, input)
    const isDue = response.slack <= 0 || response.failed
    // A closed RFQ is read rarely, so all its responses are read with it. If it is only incomplete, those that were read
    // before are not read again because of their age.
    if (closed && rfq.reasonToRead !== 'incomplete') candidate.responses.push({ ...response, slack: 0 })
    else if (isDue && !(closed && response.reason === 'age' && state?.readAt)) candidate.responses.push(response)
    else if (!closed) candidate.deferrable.push(response)
  }
  // If the last request for the RFQ failed, its responses may be unreadable too, so they do not raise its priority.
  if (!item.failed)
    for (const { reason } of candidate.responses) candidate.reason = higherPriority(candidate.reason, reason)
  return candidate
}

const presentIds = (stored: StoredResponses | undefined) =>
  [...(stored?.values() ?? [])].flatMap(({ id, missingSince }) => (missingSince === null ? [id] : []))

function rfqItem(
  rfq: PlannableRfq,
  state: RfqPollState | undefined,
  urgent: boolean,
  { now, planning }: PlanInput,
): ReadCandidate {
  const lastRead = state?.detailReadAt ?? null
  const waitingSince = waitingSinceOf(state?.requestedAt ?? state?.firstObservedAt, now)
  const slack = pollsUntilStale(waitingSince, planning)
  const failed = state !== undefined && lastRequestFailed({ readAt: lastRead, requestedAt: state.requestedAt })
  const item = (reason: ReadReason, polls = 0): ReadCandidate => ({
    id: rfq.id,
    reason,
    waitingSince,
    slack: polls,
    failed,
  })
  if (failed) return item(reasonToRetry(urgent, slack), slack)
  if (!state || lastRead === null) return item('never read')
  if (!isEntryRead(state, rfq.hash) || state.missingSince !== null || rfq.reasonToRead === 'newly closed')
    return item('changed')
  if (urgent) return item('due soon')
  if (rfq.state === 'closed' || slack <= 0) return item('age')
  return item('open', slack)
}

function responseItem(
  id: string,
  state: ResponsePollState | undefined,
  urgent: boolean,
  { now, planning }: PlanInput,
): ReadCandidate {
  const waitingSince = waitingSinceOf(state?.requestedAt ?? state?.firstObservedAt, now)
  const slack = pollsUntilStale(waitingSince, planning)
  const reason = state === undefined ? 'never read' : reasonToReadNow(state, state.summaryHash)
  if (reason === 'failed')
    return { id, reason: reasonToRetry(urgent, slack), waitingSince, slack: urgent ? 0 : slack, failed: true }
  const item = { id, waitingSince, failed: false }
  if (reason !== null) return { ...item, reason, slack: 0 }
  if (urgent) return { ...item, reason: 'due soon', slack: 0 }
  return { ...item, reason: 'age', slack }
}

/** A document whose last request failed comes last, unless it is urgent or has reached its maximum age. */
function reasonToRetry(urgent: boolean, slack: number): ReadReason {
  if (urgent) return 'due soon'
  return slack <= 0 ? 'age' : 'failed'
}

/**
 * The `waitingSince` of a candidate: now if it was never requested or listed.
 */
function waitingSinceOf(stamp: string | null | undefined, now: Date): number {
  return stamp == null ? now.getTime() : Math.max(0, now.getTime() - ageOf(stamp, now))
}

/** Reasons of equal priority among which the RFQ due soonest comes first; for the others, the one waiting longest. */
const ORDERED_BY_DUE_DATE = new Set<ReadReason>(['never read', 'changed', 'due soon', 'summary changed'])

/** Highest priority first; of equal priority, open RFQs, then the one due soonest or read longest ago. */
function byPriority(a: RfqCandidate, b: RfqCandidate): number {
  const difference = PRIORITY[a.reason] - PRIORITY[b.reason]
  if (difference !== 0) return difference
  // By due date alone, all closed RFQs of past years would come before the open ones.
  if (a.closed !== b.closed && a.reason === 'never read') return a.closed ? 1 : -1
  // RFQs that were due long ago and are still open can wait.
  if (a.urgent !== b.urgent && a.reason === 'never read') return a.urgent ? -1 : 1
  // Compared, not subtracted: RFQs without a due date have Infinity, and Infinity - Infinity is NaN.
  if (ORDERED_BY_DUE_DATE.has(a.reason) && a.dueAt !== b.dueAt) return a.dueAt < b.dueAt ? -1 : 1
  return a.waitingSince - b.waitingSince
}

/** The earliest `waitingSince` of the RFQ and of its due responses whose last request did not fail. */
const earliestWaitingSince = ({ rfq, responses }: RfqCandidate): number =>
  responses.reduce(
    (oldest, { reason, waitingSince }) => (rfq.failed || reason === 'failed' ? oldest : Math.min(oldest, waitingSince)),
    rfq.waitingSince,
  )
