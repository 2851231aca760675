import { TimeSlice } from '../domain/time-slice.js'
import type { ResponsePollState, RfqPollState } from '../store/contract.js'
import {
  type Item,
  isUrgent,
  LIST_REQUESTS,
  measureLoad,
  moreValuable,
  pollsUntilDue,
  RFQS_SHARE,
  readAhead,
  reservedOf,
  type Unit,
  VALUE,
} from './request-load.js'
import type { PlanInput, PlannableRfq, PlannedRfq, ReadReason, RequestPlan } from './request-plan-model.js'
import { reasonToReadNow } from './response-choice.js'
import type { StoredResponses } from './stored-responses.js'

/** Share of the budget kept for responses whose summaries turn out to have changed. */
const CHANGES_SHARE = 0.1

/**
 * Plans the requests of one poll (docs/POLLING.md): which RFQs are read, with which of their responses, in which order, and
 * what is left to the next poll. Never plans more requests than the budget. Works in slices, so that tens of thousands of
 * documents do not block the event loop.
 */
export async function planRequests(input: PlanInput): Promise<RequestPlan> {
  const { planning } = input
  const slice = new TimeSlice()
  const units: Unit[] = []
  const unchanged: string[] = []
  for (const rfq of input.listed) {
    const unit = toUnit(rfq, input)
    if (unit === null) unchanged.push(rfq.id)
    else units.push(unit)
    if (slice.isOver) await slice.next()
  }
  const budget = besidesList(planning.budget)
  const load = measureLoad(units, usableOf(besidesList(planning.usualBudget)), planning)
  await readAhead(units, load, slice)
  for (const unit of units) unit.longestWait = longestWait(unit)
  await slice.next()
  units.sort(byValue)
  const taken = await select(units, usableOf(budget), slice)
  const reads: PlannedRfq[] = []
  const postponed: PlannedRfq[] = []
  for (const unit of units) {
    const responses = taken.get(unit)
    ;(responses ? reads : postponed).push(toPlanned(unit, responses ?? new Set()))
    if (slice.isOver) await slice.next()
  }
  const used = reads.reduce((sum, { responses }) => sum + 1 + responses.size, 0)
  return { reads, postponed, unchanged, left: budget - used, rates: load.rates }
}

/** Requests for RFQs and responses. */
const besidesList = (budget: number) => Math.max(0, Math.floor(budget) - LIST_REQUESTS)

const usableOf = (budget: number) => budget - Math.floor(budget * CHANGES_SHARE)

const toPlanned = ({ id, reason, responses }: Unit, taken: ReadonlySet<string>): PlannedRfq => ({
  id,
  reason,
  responses: taken,
  postponed: new Set(responses.flatMap((item) => (taken.has(item.id) || item.slack > 0 ? [] : [item.id]))),
})

/** What an RFQ of the list needs; null if it need not be read. */
function toUnit(rfq: PlannableRfq, input: PlanInput): Unit | null {
  const { known, responses, now, planning } = input
  if (rfq.cause === null) return null
  const closed = rfq.state === 'closed'
  const urgent = !closed && rfq.dueAt !== null && isUrgent(rfq.dueAt, planning, now)
  const unit: Unit = {
    ...rfqItem(rfq, known.get(rfq.id), urgent, input),
    urgent,
    longestWait: 0,
    dueAt: rfq.dueAt?.getTime() ?? Number.POSITIVE_INFINITY,
    responses: [],
    later: [],
    closed,
  }
  const stored = responses.get(rfq.id)
  for (const id of rfq.responseIds ?? presentIds(stored)) {
    const item = responseItem(id, stored?.get(id), urgent, input)
    // A closed RFQ is read seldom, and then as a whole; only what was never read is read again before.
    if (closed && rfq.cause !== 'incomplete') unit.responses.push({ ...item, slack: 0 })
    else if (item.slack <= 0 && !(closed && item.reason === 'age' && stored?.get(id)?.readAt)) unit.responses.push(item)
    else if (!closed) unit.later.push(item)
  }
  for (const { reason } of unit.responses) unit.reason = moreValuable(unit.reason, reason)
  return unit
}

const presentIds = (stored: StoredResponses = new Map()) =>
  [...stored.values()].flatMap(({ id, missingSince }) => (missingSince === null ? [id] : []))

function rfqItem(
  rfq: PlannableRfq,
  state: RfqPollState | undefined,
  urgent: boolean,
  { now, planning }: PlanInput,
): Item {
  const lastRead = state?.detailReadAt ?? null
  const waitingSince = timeOf(lastRead ?? state?.firstObservedAt, now)
  const slack = pollsUntilDue(waitingSince, planning)
  const item = (reason: ReadReason, polls = 0): Item => ({ id: rfq.id, reason, waitingSince, slack: polls })
  if (!state || lastRead === null) return item('never read')
  if (state.listHash !== rfq.hash || state.missingSince !== null || rfq.cause === 'newly closed') return item('changed')
  if (urgent) return item('due soon')
  if (rfq.state === 'closed' || slack <= 0) return item('age')
  return item('open', slack)
}

function responseItem(
  id: string,
  state: ResponsePollState | undefined,
  urgent: boolean,
  { now, planning }: PlanInput,
): Item {
  const waitingSince = timeOf(state?.requestedAt ?? state?.firstObservedAt, now)
  const reason = state === undefined ? 'never read' : reasonToReadNow(state, state.summaryHash)
  if (reason !== null) return { id, reason, waitingSince, slack: 0 }
  if (urgent) return { id, reason: 'due soon', waitingSince, slack: 0 }
  return { id, reason: 'age', waitingSince, slack: pollsUntilDue(waitingSince, planning) }
}

const timeOf = (stamp: string | null | undefined, now: Date): number =>
  stamp == null ? now.getTime() : Date.parse(stamp)

const DUE_FIRST = new Set<ReadReason>(['never read', 'changed', 'due soon', 'summary changed'])

/** The most valuable first; of equal value, open ones, then the one due soonest, or the one that was read longest ago. */
function byValue(a: Unit, b: Unit): number {
  const value = VALUE[a.reason] - VALUE[b.reason]
  if (value !== 0) return value
  // The closed RFQs of years are all past due.
  if (a.closed !== b.closed && a.reason === 'never read') return a.closed ? 1 : -1
  // Two infinite dates differ by NaN.
  if (DUE_FIRST.has(a.reason) && a.dueAt !== b.dueAt) return a.dueAt < b.dueAt ? -1 : 1
  return a.longestWait - b.longestWait
}

/** Of the RFQ and those of its responses that are due. */
const longestWait = (unit: Unit): number =>
  unit.responses.reduce((oldest, { waitingSince }) => Math.min(oldest, waitingSince), unit.waitingSince)

/**
 * Chooses what is read. If not everything can be: the most valuable first, except for a share of the requests for what has
 * waited longest.
 * @param units the most valuable first
 * @returns the RFQs to read, with the responses to read of each
 */
async function select(units: readonly Unit[], usable: number, slice: TimeSlice): Promise<Map<Unit, Set<string>>> {
  const total = units.reduce((sum, { responses }) => sum + 1 + responses.length, 0)
  const taken = new Map<Unit, Set<string>>()
  let left = usable
  /** Takes as much of each as requests suffice for, and leaves some requests. */
  const take = async (ordered: readonly Unit[], reserved: number) => {
    for (const unit of ordered) {
      if (left <= reserved) return
      if (slice.isOver) await slice.next()
      const responses = taken.get(unit) ?? new Set()
      if (!taken.has(unit)) left--
      taken.set(unit, responses)
      for (const { id } of unit.responses) {
        if (left <= reserved) break
        if (responses.has(id)) continue
        responses.add(id)
        left--
      }
    }
  }
  if (total <= usable) {
    await take(units, 0)
    return taken
  }
  for (const { responses } of units) {
    responses.sort((a, b) => a.waitingSince - b.waitingSince)
    if (slice.isOver) await slice.next()
  }
  const reserved = reservedOf(usable)
  const others = units.filter(({ reason }) => !DUE_FIRST.has(reason))
  await take(
    units.filter(({ reason }) => DUE_FIRST.has(reason)),
    reserved,
  )
  await slice.next()
  // An RFQ alone shows the summaries of all its offers for one request.
  const forRfqs = Math.floor(Math.max(0, left - reserved) * RFQS_SHARE)
  for (const unit of others.toSorted((a, b) => a.waitingSince - b.waitingSince).slice(0, forRfqs)) {
    taken.set(unit, new Set())
    left--
  }
  await take(others, reserved)
  await slice.next()
  await take(
    units.toSorted((a, b) => a.longestWait - b.longestWait),
    0,
  )
  return taken
}
