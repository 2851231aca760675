import type { RequestRates } from '../domain/records.js'
import { type PlanInput, READ_REASONS, type ReadReason } from './request-plan-model.js'

/** Share of the budget for what has waited longest if not everything can be read, so that nothing waits for ever. */
const LONGEST_WAIT_SHARE = 0.2
/** Share of what is left after what is more valuable, if not everything can be read, for RFQs without their responses. */
export const RFQS_SHARE = 0.5
const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** A document that should be read, now or soon. */
export interface Item {
  id: string
  reason: ReadReason
  /** When it was last requested, or first listed (epoch milliseconds). */
  waitingSince: number
  /** How many polls it can still wait without exceeding its maximum age; 0 or less: none. */
  slack: number
}

/** An RFQ that should be read, with its responses that should be. */
export interface Unit extends Item {
  dueAt: number
  /** As `waitingSince`, of the RFQ and those of its responses that are due. */
  longestWait: number
  responses: Item[]
  /** Responses that need not be read yet, but will. */
  later: Item[]
  closed: boolean
}

/** Due soon, or due lately and still open. */
export const isUrgent = (dueAt: number, { now, rules }: PlanInput): boolean =>
  Math.abs(dueAt - now.getTime()) <= rules.urgentHours * HOUR_MS

/** How many polls can pass before this one, so that it is read again before its maximum age, however long a poll takes. */
export function pollsUntilDue(lastAt: number, { nextPollAt, intervalMs, rules }: PlanInput): number {
  return Math.floor((lastAt + rules.offersMaxAgeMinutes * MINUTE_MS - nextPollAt.getTime()) / intervalMs)
}

export const moreValuable = (one: ReadReason, other: ReadReason): ReadReason =>
  READ_REASONS.indexOf(one) <= READ_REASONS.indexOf(other) ? one : other

interface Load {
  rates: RequestRates
  /** Whether every open RFQ can be read at every poll, besides what else must be read. */
  readsEveryRfq: boolean
  /** Requests of each poll for what is read because of its age. */
  capacity: number
}

/** Requests of a poll for what has waited longest if not everything can be read: at least an RFQ and one of its responses. */
export const reservedOf = (usable: number): number =>
  Math.min(usable, Math.max(2, Math.ceil(usable * LONGEST_WAIT_SHARE)))

/**
 * What the open RFQs and their responses need, by the number of documents.
 * @param usable requests of a poll that has a whole interval
 */
export function measureLoad(units: readonly Unit[], usable: number, input: PlanInput): Load {
  const { intervalMs, rules } = input
  const open = units.filter(({ closed }) => !closed)
  const sizeOf = (some: readonly Unit[]) =>
    some.reduce((sum, { responses, later }) => sum + 1 + responses.length + later.length, 0)
  const urgent = open.filter(({ dueAt }) => isUrgent(dueAt, input))
  const urgentCost = sizeOf(urgent)
  const rfqs = open.length - urgent.length
  const others = sizeOf(open) - urgentCost
  // Read before they could exceed their age while the next poll reads.
  const pollsWithinAge = Math.max(1, Math.floor((rules.offersMaxAgeMinutes * MINUTE_MS) / intervalMs) - 1)
  const everyRfq = urgentCost + rfqs + (others - rfqs) / pollsWithinAge
  const readsEveryRfq = usable >= everyRfq
  const needed = Math.min(everyRfq, neededInTurn({ urgentCost, others }, pollsWithinAge))
  // The list takes one more.
  const rate = (requests: number) => ((requests + 1) * SECOND_MS) / intervalMs
  const pollsForAll = usable >= needed ? 0 : pollsInTurn({ urgentCost, rfqs, others }, usable) + 1
  return {
    readsEveryRfq,
    capacity: usable - urgentCost - (readsEveryRfq ? rfqs : 0),
    rates: {
      required: rate(needed),
      allowed: rate(usable),
      ageMinutes: Math.max(rules.offersMaxAgeMinutes, (pollsForAll * intervalMs) / MINUTE_MS),
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

/** Requests of a poll that may read an RFQ, or a response in the next poll, without getting further: it ends among responses. */
const LOST_PER_POLL = 2

/** How many polls read everything once, if not every RFQ can be read at every poll. */
function pollsInTurn({ urgentCost, rfqs, others }: Counts, usable: number): number {
  const reserved = reservedOf(usable)
  const left = usable - urgentCost
  const forRfqs = Math.min(rfqs, Math.floor(Math.max(0, left - reserved) * RFQS_SHARE))
  const perPoll = Math.max(1, Math.max(reserved, left - forRfqs) - LOST_PER_POLL)
  return Math.ceil((others + Math.max(0, urgentCost - (usable - reserved))) / perPoll)
}

/** Requests of a poll so that `pollsInTurn` is not more than a number of polls. */
function neededInTurn({ urgentCost, others }: Omit<Counts, 'rfqs'>, polls: number): number {
  const perPoll = Math.max(others / polls + LOST_PER_POLL, urgentCost * LONGEST_WAIT_SHARE)
  return urgentCost + perPoll / (1 - RFQS_SHARE)
}

/**
 * Moves responses that must be read in one of the next polls to this one, if those polls could not read them all: the least
 * number, those with the earliest deadlines first.
 */
export function readAhead(units: readonly Unit[], { readsEveryRfq, capacity }: Load): void {
  const count = countAhead(units, { readsEveryRfq, capacity })
  if (count <= 0) return
  const waiting = units.flatMap((unit) => unit.later.map((item) => ({ unit, item })))
  waiting.sort((a, b) => a.item.slack - b.item.slack || a.item.waitingSince - b.item.waitingSince)
  for (const { unit, item } of waiting.slice(0, count)) {
    unit.responses.push(item)
    unit.reason = moreValuable(unit.reason, 'age')
  }
}

/** How many responses the next polls could not read before they exceed their age. */
function countAhead(units: readonly Unit[], { readsEveryRfq, capacity }: Omit<Load, 'rates'>): number {
  const dueIn = new Map<number, number>()
  const add = (polls: number) => dueIn.set(polls, (dueIn.get(polls) ?? 0) + 1)
  for (const unit of units) {
    for (const { slack } of unit.later) add(slack)
    if (!readsEveryRfq && unit.slack > 0) add(unit.slack)
  }
  let due = 0
  let ahead = 0
  for (const [polls, documents] of [...dueIn].sort(([a], [b]) => a - b)) {
    due += documents
    ahead = Math.max(ahead, due - polls * Math.max(0, capacity))
  }
  return Math.ceil(ahead)
}
