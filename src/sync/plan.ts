import type { ListedResponse } from '../core/documents/observation.js'
import type { RequestRates } from '../core/records.js'
import { ageOf } from '../core/time/clock.js'
import type { ResponsePollState, RfqPollState } from '../store/contract.js'
import type { PollPlanning } from './contract.js'

/** Share of the budget reserved for responses whose summaries turn out to have changed once their RFQ is read. */
const CHANGES_SHARE = 0.1
/** Share of the budget reserved for the documents that have waited longest while one is older than its maximum age, so that none starves. */
const OLDEST_SHARE = 0.2
/** Share of the remaining budget for RFQs without their responses, because one request shows the summaries of all. */
const RFQS_SHARE = 0.5
/** Requests for the list, which is read before the plan is made. */
const LIST_REQUESTS = 1
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The stored responses of an RFQ, by id. */
export type StoredResponses = Map<string, ResponsePollState>

/** An RFQ as its list entry shows it. */
interface ListedRfq {
  id: string
  hash: string
  /** `state` as sent; null if missing or unusable. */
  state: string | null
}

/** The part of a list entry that planning needs. */
export interface PlannableRfq extends ListedRfq {
  /** As returned by `reasonToRead`; null if it need not be read. */
  reasonToRead: string | null
  /** Identifiers of its responses; null if unknown. */
  responseIds: readonly string[] | null
  /** The end of its response due date; null if it has none. */
  dueAt: Date | null
}

interface PlanInput {
  listed: readonly PlannableRfq[]
  known: ReadonlyMap<string, RfqPollState>
  /** The stored responses of each RFQ, by identifier. */
  responses: ReadonlyMap<string, StoredResponses>
  now: Date
  /** Its budgets include the request for the list. */
  planning: PollPlanning
}

/** The responses of an RFQ to read, and those that are due and left to the next poll. */
export interface PlannedResponses {
  responses: ReadonlySet<string>
  postponed: ReadonlySet<string>
}

export interface RequestPlan {
  /** The RFQs to read, in this order. */
  reads: ReadonlyMap<string, PlannedResponses>
  /** RFQs that are left to the next poll, with the number of their documents that should have been read. */
  postponed: { id: string; documents: number }[]
  /** RFQs that need not be read. */
  unchanged: string[]
  /** Requests that the plan leaves for responses whose summaries turn out to have changed. */
  unused: number
  rates: RequestRates
}

/** The order in which documents are read if the budget is too small for all (docs/POLLING.md). */
const RANKS = {
  ...{ urgentNew: 1, urgentChanged: 2, urgentOld: 3, new: 4, changed: 5, urgent: 6, summaryChanged: 7, other: 8 },
  failed: 9,
} as const
type Rank = (typeof RANKS)[keyof typeof RANKS]
/** Ranks in which what is due soonest comes first; in the others, what was read longest ago. */
const BY_DUE_DATE: readonly Rank[] = [
  RANKS.urgentNew,
  RANKS.urgentChanged,
  RANKS.new,
  RANKS.changed,
  RANKS.summaryChanged,
]

/** An RFQ or response that may be read. */
interface Candidate {
  rfqId: string
  /** Null for the RFQ itself. */
  responseId: string | null
  rank: Rank
  dueAt: number
  /** When it was last requested, or first listed (epoch milliseconds); and its RFQ. */
  waitingSince: number
  rfqWaitingSince: number
  /** It should be read by this poll. */
  isDue: boolean
  isUrgent: boolean
  isClosed: boolean
}

/**
 * Plans the requests of one poll (docs/POLLING.md): which RFQs are read, with which of their responses, in which order, and
 * which are left to the next poll. Never plans more requests than the budget.
 */
export function planRequests({ listed, ...input }: PlanInput): RequestPlan {
  const { planning } = input
  const toRead = listed.filter(({ reasonToRead }) => reasonToRead !== null)
  const all = toRead.flatMap((rfq) => candidatesOf(rfq, input))
  const budget = withoutListRequest(planning.budget)
  const usual = usableOf(withoutListRequest(planning.usualBudget))
  const load = measureLoad(all, planning)
  const due = all.filter(({ isDue }) => isDue)
  const taken = select([...due, ...earlyReads(all, load, usual)], usableOf(budget), planning)
  const postponed = new Map(toRead.map(({ id }) => [id, new Set<string>()]))
  for (const { rfqId, responseId } of due)
    if (responseId !== null && !taken.get(rfqId)?.has(responseId)) postponed.get(rfqId)?.add(responseId)
  const reads = [...taken].map(([id, responses]) => ({ id, responses, postponed: postponed.get(id) ?? new Set() }))
  const rate = (requests: number) => ((requests + LIST_REQUESTS) * 1_000) / planning.intervalMs
  return {
    reads: new Map(reads.map((rfq) => [rfq.id, rfq])),
    postponed: [...postponed].flatMap(([id, responses]) =>
      taken.has(id) ? [] : [{ id, documents: 1 + responses.size }],
    ),
    unchanged: listed.flatMap(({ id, reasonToRead }) => (reasonToRead === null ? [id] : [])),
    unused: budget - reads.reduce((sum, { responses }) => sum + 1 + responses.size, 0),
    rates: { required: rate(load.perPoll), allowed: rate(usual) },
  }
}

/** The part of a budget that is left for RFQs and responses. */
const withoutListRequest = (budget: number) => Math.max(0, Math.floor(budget) - LIST_REQUESTS)

const usableOf = (budget: number) => budget - Math.floor(budget * CHANGES_SHARE)

/** An RFQ with its responses; of one whose last request failed, only the RFQ, because they may be unreadable too. */
function candidatesOf(rfq: PlannableRfq, { known, responses, now, planning }: Omit<PlanInput, 'listed'>): Candidate[] {
  const isClosed = rfq.state === 'closed'
  const isUrgent =
    !isClosed && rfq.dueAt !== null && Math.abs(rfq.dueAt.getTime() - now.getTime()) <= planning.urgentHours * HOUR_MS
  const sinceOf = (state: { requestedAt: string | null; firstObservedAt: string } | undefined) =>
    state === undefined
      ? now.getTime()
      : Math.max(0, now.getTime() - ageOf(state.requestedAt ?? state.firstObservedAt, now))
  const state = known.get(rfq.id)
  const rfqWaitingSince = sinceOf(state)
  const toCandidate = (responseId: string | null, reason: ReadReason | null, waitingSince: number): Candidate => {
    const isOld = willBeOld(waitingSince, planning)
    const rank = rankOf(reason, { isUrgent, isOld })
    const dueAt = rfq.dueAt?.getTime() ?? Number.POSITIVE_INFINITY
    // A closed RFQ is read rarely, so with all its responses.
    const isDue = responseId === null || reason !== null || isUrgent || isOld || isClosed
    return { rfqId: rfq.id, responseId, rank, dueAt, waitingSince, rfqWaitingSince, isDue, isUrgent, isClosed }
  }
  const own = toCandidate(null, reasonOfRfq(rfq, state), rfqWaitingSince)
  if (hasFailed(state)) return [own]
  const stored = responses.get(rfq.id)
  const present = () =>
    [...(stored?.values() ?? [])].flatMap(({ id, missingSince }) => (missingSince === null ? [id] : []))
  const offers = (rfq.responseIds ?? present()).flatMap((id) => {
    const response = stored?.get(id)
    const reason = response === undefined ? 'never read' : reasonToReadNow(response, response.summaryHash)
    if (rfq.reasonToRead === 'incomplete' && reason === null) return []
    return [toCandidate(response?.id ?? id, reason, sinceOf(response))]
  })
  return [own, ...offers]
}

/** Whether a document is older than its maximum age before the next poll has ended, unless it is read now. */
const willBeOld = (since: number, { nextPollAt, intervalMs, offersMaxAgeMinutes }: PollPlanning): boolean =>
  since + offersMaxAgeMinutes * MINUTE_MS < nextPollAt.getTime() + intervalMs

function rankOf(reason: ReadReason | null, { isUrgent, isOld }: { isUrgent: boolean; isOld: boolean }): Rank {
  if (reason === 'never read') return isUrgent ? RANKS.urgentNew : RANKS.new
  if (reason === 'changed') return isUrgent ? RANKS.urgentChanged : RANKS.changed
  if (reason === 'summary changed') return isUrgent ? RANKS.urgentChanged : RANKS.summaryChanged
  if (reason === 'failed' && !isOld) return isUrgent ? RANKS.urgent : RANKS.failed
  if (isUrgent) return isOld ? RANKS.urgentOld : RANKS.urgent
  return RANKS.other
}

interface Load {
  /** Responses of open RFQs that are not urgent, and in how many polls each is read once. */
  responses: number
  polls: number
  /** Requests that each poll needs, so that nothing exceeds its maximum age. */
  perPoll: number
}

function measureLoad(all: readonly Candidate[], { intervalMs, offersMaxAgeMinutes }: PollPlanning): Load {
  const open = all.filter(({ isClosed }) => !isClosed)
  const urgent = open.filter(({ isUrgent }) => isUrgent).length
  const rfqs = open.filter(({ isUrgent, responseId }) => !isUrgent && responseId === null).length
  const responses = open.length - urgent - rfqs
  // One less, so that no document exceeds its maximum age while the next poll is still reading.
  const polls = Math.max(1, Math.floor((offersMaxAgeMinutes * MINUTE_MS) / intervalMs) - 1)
  const perPoll = urgent + Math.min(rfqs + responses / polls, (rfqs + responses) / polls / (1 - RFQS_SHARE))
  return { responses, polls, perPoll }
}

/**
 * Responses that are read before they must be, those read longest ago first: if one poll cannot read all, each poll reads an equal part.
 */
function earlyReads(all: readonly Candidate[], { responses, polls }: Load, usual: number): Candidate[] {
  if (responses <= usual / 2) return []
  const others = all.filter(({ responseId, isUrgent, isClosed }) => responseId !== null && !isUrgent && !isClosed)
  const early = others.filter(({ isDue }) => !isDue).sort((a, b) => a.waitingSince - b.waitingSince)
  return early.slice(0, Math.max(0, Math.ceil(responses / polls) - (others.length - early.length)))
}

/**
 * Selects the documents to read: rank by rank as long as there are requests, then those that have waited longest.
 * @param usable requests for RFQs and responses
 * @returns the RFQs to read, in this order, with the responses to read of each
 */
function select(candidates: readonly Candidate[], usable: number, planning: PollPlanning): Map<string, Set<string>> {
  const taken = new Map<string, Set<string>>()
  let left = usable
  /** A response also takes a request for its RFQ, unless that is read anyway. */
  const take = ({ rfqId, responseId }: Candidate, reserve: number) => {
    const responses = taken.get(rfqId)
    const cost = (responses === undefined ? 1 : 0) + (responseId === null || responses?.has(responseId) ? 0 : 1)
    if (cost === 0 || left - cost < reserve) return
    left -= cost
    const all = responses ?? new Set<string>()
    taken.set(rfqId, all)
    if (responseId !== null) all.add(responseId)
  }
  const isLate = candidates.some(({ isClosed, waitingSince }) => !isClosed && willBeOld(waitingSince, planning))
  const reserved = isLate ? Math.min(usable, Math.max(2, Math.ceil(usable * OLDEST_SHARE))) : 0
  const ordered = candidates.toSorted(byRank)
  for (const rank of Object.values(RANKS)) {
    if (rank === RANKS.failed) for (const each of ordered.toSorted(byAge)) if (each.rank !== RANKS.failed) take(each, 0)
    const reserve = rank === RANKS.urgentNew || rank === RANKS.failed ? 0 : reserved
    const ofRank = ordered.filter((each) => each.rank === rank)
    if (rank === RANKS.urgentOld || rank === RANKS.other) {
      const rfqs = Math.floor(Math.max(0, left - reserve) * RFQS_SHARE)
      for (const each of ofRank.filter(({ responseId }) => responseId === null).slice(0, rfqs)) take(each, reserve)
    }
    for (const each of ofRank) take(each, reserve)
  }
  return taken
}

const byAge = (a: Candidate, b: Candidate) => a.waitingSince - b.waitingSince

/** Within a rank: what is due soonest, or was read longest ago, first. By due date alone, RFQs closed years ago would come before open ones. */
function byRank(a: Candidate, b: Candidate): number {
  if (a.rank !== b.rank) return a.rank - b.rank
  if (a.isClosed !== b.isClosed) return a.isClosed ? 1 : -1
  // Compared, not subtracted: Infinity - Infinity is NaN.
  const byDueDate = a.dueAt === b.dueAt ? 0 : a.dueAt < b.dueAt ? -1 : 1
  if (BY_DUE_DATE.includes(a.rank)) return byDueDate || a.rfqWaitingSince - b.rfqWaitingSince
  return byAge(a, b) || byDueDate
}

/** Why a document is read whatever its age. */
type ReadReason = 'never read' | 'changed' | 'summary changed' | 'failed'

interface ReadRules {
  /** Read every RFQ. */
  full: boolean
  /** Hours after which a closed RFQ is read again. */
  recheckClosedHours: number
  now: Date
}

/**
 * Why an RFQ must be read again: it is not closed, its list entry changed, the stored RFQ is incomplete, it was missing, or its last
 * read is older than `recheckClosedHours` or of unknown age.
 * @returns the reason, or null if the stored RFQ is still current
 */
export function reasonToRead(listed: ListedRfq, known: RfqPollState | undefined, rules: ReadRules): string | null {
  if (rules.full) return 'full poll'
  if (!known) return 'new'
  if (listed.state !== 'closed') return 'open'
  if (known.state !== 'closed') return 'newly closed'
  if (!isEntryRead(known, listed.hash)) return 'changed'
  if (known.detailReadAt === null || known.incomplete) return 'incomplete'
  if (known.missingSince !== null) return 'returned'
  return ageOf(known.detailReadAt, rules.now) >= rules.recheckClosedHours * HOUR_MS ? 'recheck' : null
}

/** Whether an RFQ was read after its list entry took its current content, which the hash identifies. */
export const isEntryRead = (state: RfqPollState, hash: string): boolean => state.isEntryRead && state.entryHash === hash

function reasonOfRfq(rfq: PlannableRfq, state: RfqPollState | undefined): ReadReason | null {
  if (hasFailed(state)) return 'failed'
  if (!state || state.detailReadAt === null) return 'never read'
  const isChanged = !isEntryRead(state, rfq.hash) || state.missingSince !== null || rfq.reasonToRead === 'newly closed'
  return isChanged ? 'changed' : null
}

const hasFailed = (state: RfqPollState | undefined): boolean =>
  state !== undefined && lastRequestFailed({ readAt: state.detailReadAt, requestedAt: state.requestedAt })

/** Whether the last request for a document failed. A successful one has the same time as the read, whatever the clocks say. */
export const lastRequestFailed = (state: Pick<ResponsePollState, 'readAt' | 'requestedAt'> | undefined): boolean =>
  state !== undefined && state.requestedAt !== null && state.requestedAt !== state.readAt

/** Why a stored response must be read whatever its age, given its current summary; null if it need not be. */
function reasonToReadNow(state: ResponsePollState, summaryHash: string | null): ReadReason | null {
  const { readAt, requestedAt, missingSince } = state
  if (readAt === null && requestedAt === null) return 'never read'
  if (missingSince !== null) return 'changed'
  if (lastRequestFailed(state)) return summaryHash === state.summaryHash ? 'failed' : 'summary changed'
  return summaryHash === null || summaryHash !== state.readSummaryHash ? 'summary changed' : null
}

/** Which responses of an RFQ are requested, and of which only the summary is recorded. */
interface ResponseChoice {
  request: Set<string>
  /** Not requested, because it is stored in full: its summary shows only that it still exists. */
  observe: Set<string>
  /** Responses that exceed the request budget. */
  postponed: number
  /** Requests left in the budget. */
  left: number
}

/**
 * Chooses the responses to request, once the RFQ has been read: those of the plan, and those whose summaries are new or have
 * changed since the plan was made, while requests are left.
 */
export function chooseResponses(
  listed: readonly ListedResponse[],
  { responses, postponed }: PlannedResponses,
  stored?: StoredResponses,
  left = 0,
): ResponseChoice {
  const choice: ResponseChoice = { request: new Set(), observe: new Set(), postponed: 0, left: left + responses.size }
  for (const { id } of listed) if (responses.has(id)) choice.request.add(id)
  choice.left -= choice.request.size
  for (const { id, summaryHash } of listed) {
    if (choice.request.has(id)) continue
    const state = stored?.get(id)
    const isPostponed = postponed.has(id)
    const reason = state === undefined ? 'never read' : reasonToReadNow(state, summaryHash)
    const isDue = isPostponed || (reason !== null && reason !== 'failed')
    const hasNewSummary = state !== undefined && state.summaryHash !== summaryHash
    if (isDue && choice.left > 0 && (hasNewSummary || !isPostponed)) {
      choice.request.add(id)
      choice.left--
    } else {
      if (isDue) choice.postponed++
      if (state?.readAt != null && state.missingSince === null) choice.observe.add(id)
    }
  }
  return choice
}
