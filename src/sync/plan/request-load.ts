import type { RequestRates } from '../../core/records.js'
import type { TimeSlice } from '../../core/time/time-slice.js'
import type { PollPlanning } from '../contract.js'
import { READ_REASONS, type ReadReason } from './request-plan-model.js'

/** Share of the budget reserved for the documents that have waited longest if not everything can be read, so that none starves. */
const OLDEST_SHARE = 0.2
/** Share of the remaining budget for RFQs without their responses, if not everything can be read. */
export const RFQS_SHARE = 0.5
/** Requests for the list, which is read before the plan is made. */
export const LIST_REQUESTS = 1
const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** A document that needs to be read, by this poll or a later one. */
export interface ReadCandidate {
  id: string
  reason: ReadReason
  /** When it was last requested, or first listed (epoch milliseconds). */
  waitingSince: number
  /** How many more polls can pass without reading it before it exceeds its maximum age; 0 or less: it must be read now. */
  slack: number
  /** Whether its last request failed. */
  failed: boolean
}

/** An RFQ that needs to be read, or whose responses do. */
export interface RfqCandidate {
  id: string
  /** The highest-priority reason of the RFQ itself and its responses. */
  reason: ReadReason
  /** The RFQ itself. */
  rfq: ReadCandidate
  dueAt: number
  /** Due soon, or due recently and still open: read with all its responses at every poll. */
  urgent: boolean
  /** The earliest `waitingSince` of the RFQ and of its due responses whose last request did not fail. */
  waitingSince: number
  /** Responses that this poll must read. */
  responses: ReadCandidate[]
  /** Responses that can wait for a later poll. */
  deferrable: ReadCandidate[]
  closed: boolean
}

/** Whether an RFQ is due soon or was due recently. */
export const isUrgent = (dueAt: Date, { urgentHours }: PollPlanning, now: Date): boolean =>
  Math.abs(dueAt.getTime() - now.getTime()) <= urgentHours * HOUR_MS

/** How many polls can pass before a document exceeds its maximum age unless it is read again. */
export function pollsUntilStale(lastAt: number, { nextPollAt, intervalMs, offersMaxAgeMinutes }: PollPlanning): number {
  return Math.floor((lastAt + offersMaxAgeMinutes * MINUTE_MS - nextPollAt.getTime()) / intervalMs)
}

/** The rank of each reason: 0 is the highest priority. */
export const PRIORITY = Object.fromEntries(READ_REASONS.map((reason, at) => [reason, at])) as Record<ReadReason, number>

export const higherPriority = (one: ReadReason, other: ReadReason): ReadReason =>
  PRIORITY[one] <= PRIORITY[other] ? one : other

interface Load {
  rates: RequestRates
  /** Whether each poll can read every open RFQ in addition to everything else that must be read. */
  readsEveryRfq: boolean
  /** Requests of each poll that are available for documents that are read because of their age. */
  capacity: number
}

/** Requests of a poll reserved for the documents that have waited longest: at least an RFQ and one of its responses. */
export const reservedRequests = (usable: number): number =>
  Math.min(usable, Math.max(2, Math.ceil(usable * OLDEST_SHARE)))

/**
 * Computes the request rates that the open RFQs and their responses need.
 * @param usable requests of a poll that has a whole interval, besides the list
 */
export function measureLoad(candidates: readonly RfqCandidate[], usable: number, planning: PollPlanning): Load {
  const { intervalMs, offersMaxAgeMinutes } = planning
  const open = candidates.filter(({ closed }) => !closed)
  const sizeOf = (some: readonly RfqCandidate[]) =>
    some.reduce((sum, { responses, deferrable }) => sum + 1 + responses.length + deferrable.length, 0)
  const urgent = open.filter((candidate) => candidate.urgent)
  const urgentCost = sizeOf(urgent)
  const rfqs = open.length - urgent.length
  const others = sizeOf(open) - urgentCost
  // One less, so that no document exceeds its maximum age while the next poll is still reading.
  const pollsWithinAge = Math.max(1, Math.floor((offersMaxAgeMinutes * MINUTE_MS) / intervalMs) - 1)
  const everyRfq = urgentCost + rfqs + (others - rfqs) / pollsWithinAge
  const readsEveryRfq = usable >= everyRfq
  const needed = Math.min(everyRfq, requestsPerCycle({ urgentCost, others }, pollsWithinAge))
  const rate = (requests: number) => ((requests + LIST_REQUESTS) * SECOND_MS) / intervalMs
  const pollsForAll = usable >= needed ? 0 : pollsPerCycle({ urgentCost, rfqs, others }, usable) + 1
  return {
    readsEveryRfq,
    capacity: usable - urgentCost - (readsEveryRfq ? rfqs : 0),
    rates: {
      required: rate(needed),
      allowed: rate(usable),
      ageMinutes: Math.max(offersMaxAgeMinutes, (pollsForAll * intervalMs) / MINUTE_MS),
    },
  }
}

interface Counts {
  /** Documents that are read at every poll. */
  urgentCost: number
  /** Other open RFQs. */
  rfqs: number
  /** Other open RFQs and their responses. */
  others: number
}

/** Requests that a poll may lose because it ends in the middle of an RFQ, which the next poll then reads again. */
const LOST_PER_POLL = 2

/** How many polls it takes to read everything once, if not every RFQ can be read at every poll. */
function pollsPerCycle({ urgentCost, rfqs, others }: Counts, usable: number): number {
  const reserved = reservedRequests(usable)
  const left = usable - urgentCost
  const forRfqs = Math.min(rfqs, Math.floor(Math.max(0, left - reserved) * RFQS_SHARE))
  const perPoll = Math.max(1, Math.max(reserved, left - forRfqs) - LOST_PER_POLL)
  return Math.ceil((others + Math.max(0, urgentCost - (usable - reserved))) / perPoll)
}

/** How many requests each poll needs to read everything once within a number of polls. */
function requestsPerCycle({ urgentCost, others }: Omit<Counts, 'rfqs'>, polls: number): number {
  const perPoll = Math.max(others / polls + LOST_PER_POLL, urgentCost * OLDEST_SHARE)
  return urgentCost + perPoll / (1 - RFQS_SHARE)
}

/**
 * Brings deferrable responses forward to this poll if later polls could not read all of theirs in time: as few as possible, those with
 * the earliest deadlines first.
 */
export async function bringForward(candidates: readonly RfqCandidate[], load: Load, slice: TimeSlice): Promise<void> {
  const dueIn = await countByDeadline(candidates, slice)
  const excess = countToBringForward(candidates, load, dueIn)
  if (excess <= 0) return
  const { latest, ofLatest } = findCutoff(excess, dueIn)
  const moveToThisPoll = (candidate: RfqCandidate, item: ReadCandidate) => {
    candidate.responses.push(item)
    candidate.reason = higherPriority(candidate.reason, 'age')
  }
  const dueLatest: { candidate: RfqCandidate; item: ReadCandidate }[] = []
  for (const candidate of candidates) {
    for (const item of candidate.deferrable) {
      if (item.slack < latest) moveToThisPoll(candidate, item)
      else if (item.slack === latest) dueLatest.push({ candidate, item })
    }
    if (slice.isOver) await slice.next()
  }
  dueLatest.sort((a, b) => a.item.waitingSince - b.item.waitingSince)
  for (const { candidate, item } of dueLatest.slice(0, ofLatest)) moveToThisPoll(candidate, item)
}

/** Counts responses by the number of polls within which they must be read. */
async function countByDeadline(candidates: readonly RfqCandidate[], slice: TimeSlice): Promise<Map<number, number>> {
  const dueIn = new Map<number, number>()
  for (const { deferrable } of candidates) {
    for (const { slack } of deferrable) dueIn.set(slack, (dueIn.get(slack) ?? 0) + 1)
    if (slice.isOver) await slice.next()
  }
  return dueIn
}

/** How many responses the next polls could not read before they exceed their maximum age. */
function countToBringForward(
  candidates: readonly RfqCandidate[],
  { readsEveryRfq, capacity }: Load,
  responsesDueIn: ReadonlyMap<number, number>,
): number {
  const dueIn = new Map(responsesDueIn)
  if (!readsEveryRfq)
    for (const { slack } of candidates.map(({ rfq }) => rfq))
      if (slack > 0) dueIn.set(slack, (dueIn.get(slack) ?? 0) + 1)
  let due = 0
  let excess = 0
  for (const [polls, documents] of byDeadline(dueIn)) {
    due += documents
    excess = Math.max(excess, due - polls * Math.max(0, capacity))
  }
  return Math.ceil(excess)
}

/** The last deadline among a number of responses, earliest first, and how many of the responses with that deadline are among them. */
function findCutoff(responses: number, dueIn: ReadonlyMap<number, number>): { latest: number; ofLatest: number } {
  let left = responses
  for (const [polls, documents] of byDeadline(dueIn)) {
    if (left <= documents) return { latest: polls, ofLatest: left }
    left -= documents
  }
  return { latest: Number.POSITIVE_INFINITY, ofLatest: 0 }
}

const byDeadline = (dueIn: ReadonlyMap<number, number>) => [...dueIn].sort(([a], [b]) => a - b)
