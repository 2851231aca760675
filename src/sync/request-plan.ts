import type { ResponsePollState, RfqPollState } from '../store/contract.js'
import {
  type Item,
  isUrgent,
  measureLoad,
  moreValuable,
  pollsUntilDue,
  RFQS_SHARE,
  readAhead,
  reservedOf,
  type Unit,
} from './request-load.js'
import {
  type PlanInput,
  type PlannableRfq,
  type PlannedRfq,
  READ_REASONS,
  type ReadReason,
  type RequestPlan,
} from './request-plan-model.js'
import { reasonToReadNow } from './response-choice.js'
import { reasonToRead } from './selection.js'

/** Share of the budget kept for responses whose summaries turn out to have changed. */
const CHANGES_SHARE = 0.1

/**
 * Plans the requests of one poll (docs/POLLING.md): which RFQs are read, with which of their responses, in which order, and
 * what is left to the next poll. Never plans more requests than the budget.
 */
export function planRequests(input: PlanInput): RequestPlan {
  const units: Unit[] = []
  const unchanged: string[] = []
  for (const rfq of input.listed) {
    const unit = toUnit(rfq, input)
    if (unit === null) unchanged.push(rfq.id)
    else units.push(unit)
  }
  const budget = Math.max(0, Math.floor(input.budget))
  const usable = usableOf(budget)
  const load = measureLoad(units, usableOf(Math.max(0, Math.floor(input.usualBudget))), input)
  readAhead(units, load)
  for (const unit of units) unit.longestWait = longestWait(unit)
  const taken = select(units, usable)
  const reads: PlannedRfq[] = []
  const postponed: PlannedRfq[] = []
  for (const unit of units.sort(byValue)) {
    const responses = taken.get(unit)
    ;(responses ? reads : postponed).push(toPlanned(unit, responses ?? new Set()))
  }
  const used = reads.reduce((sum, { responses }) => sum + 1 + responses.size, 0)
  return { reads, postponed, unchanged, left: budget - used, rates: load.rates }
}

const usableOf = (budget: number) => budget - Math.floor(budget * CHANGES_SHARE)

const toPlanned = ({ id, reason, responses }: Unit, taken: ReadonlySet<string>): PlannedRfq => ({
  id,
  reason,
  responses: taken,
  postponed: new Set(responses.flatMap((item) => (taken.has(item.id) || item.slack > 0 ? [] : [item.id]))),
})

/** What an RFQ of the list needs; null if it need not be read. */
function toUnit(rfq: PlannableRfq, input: PlanInput): Unit | null {
  const { known, responses, now, rules } = input
  const state = known.get(rfq.id)
  const cause = reasonToRead(rfq, state, { full: false, recheckClosedHours: rules.recheckClosedHours, now })
  if (cause === null) return null
  const closed = rfq.state === 'closed'
  const urgent = !closed && rfq.dueAt !== null && isUrgent(rfq.dueAt.getTime(), input)
  const unit: Unit = {
    ...rfqItem(rfq, state, { urgent, cause }, input),
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
    if (closed && cause !== 'incomplete') unit.responses.push({ ...item, slack: 0 })
    else if (item.slack <= 0 && !(closed && item.reason === 'age' && stored?.get(id)?.readAt)) unit.responses.push(item)
    else if (!closed) unit.later.push(item)
  }
  for (const { reason } of unit.responses) unit.reason = moreValuable(unit.reason, reason)
  return unit
}

const presentIds = (stored: ReadonlyMap<string, ResponsePollState> = new Map()) =>
  [...stored.values()].flatMap(({ id, missingSince }) => (missingSince === null ? [id] : []))

function rfqItem(
  rfq: PlannableRfq,
  state: RfqPollState | undefined,
  { urgent, cause }: { urgent: boolean; cause: string },
  input: PlanInput,
): Item {
  const lastRead = state?.detailReadAt ?? null
  const waitingSince = Date.parse(lastRead ?? state?.firstObservedAt ?? input.now.toISOString())
  const slack = pollsUntilDue(waitingSince, input)
  const item = (reason: ReadReason, polls = 0): Item => ({ id: rfq.id, reason, waitingSince, slack: polls })
  if (!state || lastRead === null) return item('never read')
  if (state.listHash !== rfq.hash || state.missingSince !== null || cause === 'newly closed') return item('changed')
  if (urgent) return item('due soon')
  if (rfq.state === 'closed' || slack <= 0) return item('age')
  return item('open', slack)
}

function responseItem(id: string, state: ResponsePollState | undefined, urgent: boolean, input: PlanInput): Item {
  const waitingSince = Date.parse(state?.requestedAt ?? state?.firstObservedAt ?? input.now.toISOString())
  const reason = state === undefined ? 'never read' : reasonToReadNow(state, state.summaryHash)
  if (reason !== null) return { id, reason, waitingSince, slack: 0 }
  if (urgent) return { id, reason: 'due soon', waitingSince, slack: 0 }
  return { id, reason: 'age', waitingSince, slack: pollsUntilDue(waitingSince, input) }
}

const DUE_FIRST = new Set<ReadReason>(['never read', 'changed', 'due soon', 'summary changed'])

/** The most valuable first; of equal value, the one due soonest, or the one that was read longest ago. */
function byValue(a: Unit, b: Unit): number {
  const value = READ_REASONS.indexOf(a.reason) - READ_REASONS.indexOf(b.reason)
  if (value !== 0) return value
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
 * @returns the RFQs to read, with the responses to read of each
 */
function select(units: readonly Unit[], usable: number): Map<Unit, Set<string>> {
  const total = units.reduce((sum, { responses }) => sum + 1 + responses.length, 0)
  const taken = new Map<Unit, Set<string>>()
  let left = usable
  /** Takes as much of each as requests suffice for, and leaves some requests. */
  const take = (ordered: readonly Unit[], reserved: number) => {
    for (const unit of ordered) {
      if (left <= reserved) return
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
    take(units, 0)
    return taken
  }
  for (const { responses } of units) responses.sort((a, b) => a.waitingSince - b.waitingSince)
  const reserved = reservedOf(usable)
  const valued = units.toSorted(byValue)
  const others = valued.filter(({ reason }) => !DUE_FIRST.has(reason))
  take(
    valued.filter(({ reason }) => DUE_FIRST.has(reason)),
    reserved,
  )
  // An RFQ alone shows the summaries of all its offers for one request.
  const forRfqs = Math.floor(Math.max(0, left - reserved) * RFQS_SHARE)
  for (const unit of others.toSorted((a, b) => a.waitingSince - b.waitingSince).slice(0, forRfqs)) {
    taken.set(unit, new Set())
    left--
  }
  take(others, reserved)
  take(
    units.toSorted((a, b) => a.longestWait - b.longestWait),
    0,
  )
  return taken
}
