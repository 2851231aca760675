import type { Problem } from '../documents/lenient-parser.js'
import type { ResponseSummary, RfqResponse } from '../documents/observation.js'
import type { Timestamp } from '../time/clock.js'

// The two sources of an offer, its own document and its summary in the RFQ, and how old they are (docs/POLLING.md). Pure.

/** Offers whose summaries in the RFQ changed after the offers themselves were last read. */
export interface NewerSummaries {
  /** When the RFQ was last read. */
  rfqReadAt: Timestamp
  /** The offers, each with when it was itself last read. */
  offers: { id: string; readAt: Timestamp }[]
}

/** The last summary of an offer that has since gone missing from its RFQ. */
export interface LastSummary {
  summary: ResponseSummary
  /** When the version of the RFQ that says so was first read. */
  observedAt: Timestamp
}

/** By id: missing offers that the RFQ last showed as accepted. */
export type LastSummaries = ReadonlyMap<string, LastSummary>

/** The part of the stored state of an offer that shows whether its summary is newer than its own read. */
interface ReadState {
  id: string
  readAt: Timestamp | null
  summaryHash: string | null
  readSummaryHash: string | null
  missingSince: Timestamp | null
}

/**
 * Finds the offers whose summaries changed since they were read: the RFQ shows another one than when the offer was read with it. A summary
 * that contradicts the offer in the same way as when both were read is not newer.
 * @param rfqReadAt when the RFQ was last read; null if it never was
 * @returns null if there are none
 */
export function newerSummariesOf(rfqReadAt: Timestamp | null, states: readonly ReadState[]): NewerSummaries | null {
  if (rfqReadAt === null) return null
  const offers = states.flatMap(({ id, readAt, summaryHash, readSummaryHash, missingSince }) => {
    if (readAt === null || missingSince !== null) return []
    const isKnown = summaryHash !== null && readSummaryHash !== null
    return isKnown && summaryHash !== readSummaryHash ? [{ id, readAt }] : []
  })
  return offers.length === 0 ? null : { rfqReadAt, offers }
}

/** Members of the summary of a response, each with its place in the response itself. */
const SHARED_MEMBERS = {
  status: ['status', ({ status }) => status],
  totalVolume: ['offer.totalVolume', ({ offer }) => offer?.totalVolume],
  totalPrice: ['offer.totalPrice', ({ offer }) => offer?.totalPrice],
  currency: ['offer.currency', ({ offer }) => offer?.currency],
  expiryDate: ['offer.expiryDate', ({ offer }) => offer?.expiryDate],
  contractType: ['offer.contractType', ({ offer }) => offer?.contractType],
} satisfies Record<string, [path: string, value: (response: RfqResponse) => unknown]>
const SHARED = Object.entries(SHARED_MEMBERS)

/**
 * Finds the members of a response that its summary in the RFQ contradicts. Either may be wrong, or the response changed between
 * the two reads. Absent and null members say nothing, nor do those of another type, which are problems themselves.
 */
export function findSummaryConflicts(summary: unknown, response: RfqResponse | null): Problem[] {
  if (response === null) return []
  const problems: Problem[] = []
  for (const [member, [path, valueIn]] of SHARED) {
    const listed = (summary as Record<string, unknown> | null)?.[member] ?? null
    const own = valueIn(response) ?? null
    if (own === null || typeof listed !== typeof own || listed === own) continue
    const message = `the RFQ says ${shown(listed)}, the offer itself says ${shown(own)}`
    problems.push({ path, code: 'conflict', message })
  }
  return problems
}

const shown = (value: unknown) => JSON.stringify(typeof value === 'string' ? value.slice(0, 80) : value)

/** When the terms of the offers for an RFQ were last read. */
export interface TermsRead {
  oldest: Timestamp
  newest: Timestamp
  /** Number of offers known only from their summaries. */
  unread: number
}

/** Summarizes when offers were read, of those that are not missing; null if none was. */
export function termsReadOf(
  offers: readonly { readAt: Timestamp | null; missingSince: Timestamp | null }[],
): TermsRead | null {
  const present = offers.filter(({ missingSince }) => missingSince === null)
  const times = present.flatMap(({ readAt }) => readAt ?? []).sort()
  const [oldest] = times
  if (oldest === undefined) return null
  return { oldest, newest: times.at(-1) ?? oldest, unread: present.length - times.length }
}

/** When RFQs, which show the status and prices of their offers, were last read. */
export interface PricesRead {
  oldest: Timestamp
  newest: Timestamp
  /** The newest complete poll did not read every one of them. */
  behindPoll: boolean
}

/**
 * Summarizes when RFQs were read, of those that are not missing; null if none was.
 * @param polledAt when the newest complete poll of the RFQs of a channel began; null if there is none
 */
export function pricesReadOf(
  rfqs: readonly { channel: string; readAt: Timestamp | null; missingSince: Timestamp | null }[],
  polledAt: (channel: string) => Timestamp | null,
): PricesRead | null {
  let oldest: Timestamp | null = null
  let newest: Timestamp | null = null
  let behindPoll = false
  for (const { channel, readAt, missingSince } of rfqs) {
    if (readAt === null || missingSince !== null) continue
    if (oldest === null || readAt < oldest) oldest = readAt
    if (newest === null || readAt > newest) newest = readAt
    behindPoll ||= readAt < (polledAt(channel) ?? '')
  }
  return oldest === null || newest === null ? null : { oldest, newest, behindPoll }
}
