import type { RequestRates } from '../domain/records.js'
import type { ListedResponse } from '../marketplace/rfq-reader.js'
import type { ResponsePollState, RfqPollState } from '../store/contract.js'
import { type ListedRfq, reasonToRead } from './selection.js'

/** An RFQ of the list, as far as planning needs it. */
export interface PlannableRfq extends ListedRfq {
  /** Identifiers of its responses; null if the list does not say. */
  responseIds: readonly string[] | null
  /** The end of its response due date; null if it has none. */
  dueAt: Date | null
}

export interface PlanRules {
  /** A response is read again before its last full read is older; 0: at every poll. */
  offersMaxAgeMinutes: number
  /** Everything of an RFQ due within this time, before or after, is read at every poll. */
  urgentHours: number
  recheckClosedHours: number
}

export interface PlanInput {
  listed: readonly PlannableRfq[]
  known: ReadonlyMap<string, RfqPollState>
  /** The stored responses of each RFQ, by identifier. */
  responses: ReadonlyMap<string, ReadonlyMap<string, ResponsePollState>>
  /** Requests for RFQs and responses until the next poll. */
  budget: number
  now: Date
  nextPollAt: Date
  /** From that poll to the one after it, in milliseconds. */
  intervalMs: number
  rules: PlanRules
}

/** Why a document is read, the most valuable first (docs/POLLING.md). */
export const READ_REASONS = ['never read', 'changed', 'due soon', 'summary changed', 'age', 'open'] as const
export type ReadReason = (typeof READ_REASONS)[number]

/** An RFQ to read, or to leave to the next poll, with those of its responses that are due to be read. */
export interface PlannedRfq {
  id: string
  reason: ReadReason
  /** Identifiers of the responses to read. */
  responses: ReadonlySet<string>
  /** Identifiers of responses that should be read too, but are left to the next poll. */
  postponed: ReadonlySet<string>
}

export interface RequestPlan {
  /** In the order in which they are read. */
  reads: PlannedRfq[]
  /** RFQs that are left to the next poll. */
  postponed: PlannedRfq[]
  /** RFQs that need not be read. */
  unchanged: string[]
  /** Requests left for responses whose summaries turn out to have changed. */
  left: number
  rates: RequestRates
}

/** Share of the budget kept for responses whose summaries turn out to have changed. */
const CHANGES_SHARE = 0.1
/** Share of the budget for what has waited longest if not everything can be read, so that nothing waits for ever. */
const LONGEST_WAIT_SHARE = 0.2
const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

interface Item {
  id: string
  reason: ReadReason
  /** When it was last requested, or first listed (epoch milliseconds). */
  waitingSince: number
  /** How many polls it can still wait without exceeding its maximum age; 0 or less: none. */
  slack: number
}

/** An RFQ that should be read, with its responses that should be. */
interface Unit extends Item {
  dueAt: number
  responses: Item[]
  /** Responses that need not be read yet, but will. */
  later: Item[]
  closed: boolean
}

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
  const usable = budget - Math.floor(budget * CHANGES_SHARE)
  const load = measureLoad(units, usable, input)
  readAhead(units, load)
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

const isUrgent = (dueAt: number, { now, rules }: PlanInput): boolean =>
  Math.abs(dueAt - now.getTime()) <= rules.urgentHours * HOUR_MS

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

/** Why a stored response must be read whatever its age, given its present summary; null if it need not be. */
function reasonToReadNow(state: ResponsePollState, summaryHash: string | null): ReadReason | null {
  // Requested in vain before, it is no longer the most urgent.
  if (state.readAt === null) return state.requestedAt === null ? 'never read' : 'age'
  if (state.missingSince !== null) return 'changed'
  return summaryHash === null || summaryHash !== state.readSummaryHash ? 'summary changed' : null
}

/** How many polls can pass before this one, so that it is read again before its maximum age, however long a poll takes. */
function pollsUntilDue(lastAt: number, { nextPollAt, intervalMs, rules }: PlanInput): number {
  return Math.floor((lastAt + rules.offersMaxAgeMinutes * MINUTE_MS - nextPollAt.getTime()) / intervalMs)
}

const moreValuable = (one: ReadReason, other: ReadReason): ReadReason =>
  READ_REASONS.indexOf(one) <= READ_REASONS.indexOf(other) ? one : other

interface Load {
  rates: RequestRates
  /** Whether every open RFQ can be read at every poll, besides what else must be read. */
  readsEveryRfq: boolean
  /** Requests of each poll for what is read because of its age. */
  capacity: number
}

/** What the open RFQs and their responses need, by the number of documents. */
function measureLoad(units: readonly Unit[], usable: number, input: PlanInput): Load {
  const { now, nextPollAt, intervalMs, rules } = input
  const open = units.filter(({ closed }) => !closed)
  const sizeOf = (some: readonly Unit[]) =>
    some.reduce((sum, { responses, later }) => sum + 1 + responses.length + later.length, 0)
  const urgent = open.filter(({ dueAt }) => isUrgent(dueAt, input))
  const urgentCost = sizeOf(urgent)
  const rfqs = open.length - urgent.length
  const others = sizeOf(open) - urgentCost
  // Read before they could exceed their age while the next poll reads.
  const pollsWithinAge = Math.max(1, Math.floor((rules.offersMaxAgeMinutes * MINUTE_MS) / intervalMs) - 1)
  const needed = urgentCost + others / pollsWithinAge
  const readsEveryRfq = usable >= urgentCost + rfqs + (others - rfqs) / pollsWithinAge
  // The list takes one more.
  const allowed = ((usable + 1) * SECOND_MS) / Math.max(1, nextPollAt.getTime() - now.getTime())
  const required = ((needed + 1) * SECOND_MS) / intervalMs
  const ageMinutes =
    required <= allowed ? rules.offersMaxAgeMinutes : expectedAge({ urgentCost, others, allowed }, input)
  return {
    readsEveryRfq,
    capacity: usable - urgentCost - (readsEveryRfq ? rfqs : 0),
    rates: { required, allowed, ageMinutes },
  }
}

/** How old documents become if requests do not suffice. */
function expectedAge(
  { urgentCost, others, allowed }: { urgentCost: number; others: number; allowed: number },
  { intervalMs, rules }: PlanInput,
): number {
  const perPoll = Math.max(1, (allowed * intervalMs) / SECOND_MS - 1)
  const forOthers = Math.max(perPoll - urgentCost, perPoll * LONGEST_WAIT_SHARE)
  const polls = Math.max(others / forOthers, urgentCost / perPoll)
  return Math.max(rules.offersMaxAgeMinutes, (polls * intervalMs) / MINUTE_MS)
}

/**
 * Moves responses that must be read in one of the next polls to this one, if those polls could not read them all: the least
 * number, those with the earliest deadlines first.
 */
function readAhead(units: readonly Unit[], { readsEveryRfq, capacity }: Load): void {
  const waiting = units.flatMap((unit) => unit.later.map((item) => ({ unit, item })))
  waiting.sort((a, b) => a.item.slack - b.item.slack || a.item.waitingSince - b.item.waitingSince)
  const rfqs = readsEveryRfq ? [] : units.flatMap(({ slack }) => (slack > 0 ? [slack] : [])).sort((a, b) => a - b)
  let due = 0
  let rfqsDue = 0
  let ahead = 0
  for (const [index, { item }] of waiting.entries()) {
    due++
    while ((rfqs[rfqsDue] ?? Number.POSITIVE_INFINITY) <= item.slack) rfqsDue++
    ahead = Math.max(ahead, Math.min(index + 1, due + rfqsDue - item.slack * Math.max(0, capacity)))
  }
  for (const { unit, item } of waiting.slice(0, Math.ceil(ahead))) {
    unit.responses.push(item)
    unit.reason = moreValuable(unit.reason, 'age')
  }
}

const DUE_FIRST = new Set<ReadReason>(['never read', 'changed', 'due soon', 'summary changed'])

/** The most valuable first; of equal value, the one due soonest, or the one that was read longest ago. */
function byValue(a: Unit, b: Unit): number {
  const value = READ_REASONS.indexOf(a.reason) - READ_REASONS.indexOf(b.reason)
  if (value !== 0) return value
  // Two infinite dates differ by NaN.
  if (DUE_FIRST.has(a.reason) && a.dueAt !== b.dueAt) return a.dueAt < b.dueAt ? -1 : 1
  return longestWait(a) - longestWait(b)
}

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
  const valued = units.toSorted(byValue)
  take(valued, Math.min(usable, Math.max(2, Math.ceil(usable * LONGEST_WAIT_SHARE))))
  const waits = new Map(units.map((unit) => [unit, longestWait(unit)]))
  take(
    units.toSorted((a, b) => (waits.get(a) ?? 0) - (waits.get(b) ?? 0)),
    0,
  )
  return taken
}

/** What is done with a response: it is requested, or only its summary is recorded. */
export interface ResponseChoice {
  request: Set<string>
  /** Not requested; stored in full, so that its summary shows only that it still exists. */
  observe: Set<string>
  /** Should have been requested, but requests did not suffice. */
  postponed: number
  /** Requests left. */
  left: number
}

/**
 * Chooses the responses to request, once the RFQ has been read: those of the plan, and those whose summaries are new or have
 * changed, while requests are left.
 */
export function chooseResponses(
  listed: readonly ListedResponse[],
  { responses, postponed }: Pick<PlannedRfq, 'responses' | 'postponed'>,
  stored: ReadonlyMap<string, ResponsePollState> = new Map(),
  left = 0,
): ResponseChoice {
  const choice: ResponseChoice = { request: new Set(), observe: new Set(), postponed: 0, left: left + responses.size }
  for (const { id } of listed) if (responses.has(id)) choice.request.add(id)
  choice.left -= choice.request.size
  for (const { id, summaryHash } of listed) {
    if (choice.request.has(id)) continue
    const state = stored.get(id)
    const isDue = postponed.has(id) || state === undefined || reasonToReadNow(state, summaryHash) !== null
    if (isDue && !postponed.has(id) && choice.left > 0) {
      choice.request.add(id)
      choice.left--
    } else {
      if (isDue) choice.postponed++
      if (state?.readAt != null && state.missingSince === null) choice.observe.add(id)
    }
  }
  return choice
}
