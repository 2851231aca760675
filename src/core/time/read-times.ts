import { ageOf, type Timestamp } from './clock.js'

// How old what was read is (docs/POLLING.md, "How old the data is"). Pure.

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
export interface PricesRead extends Pick<TermsRead, 'oldest' | 'newest'> {
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
  const read = termsReadOf(rfqs)
  if (read === null) return null
  const behindPoll = rfqs.some(
    ({ channel, readAt, missingSince }) =>
      missingSince === null && readAt !== null && readAt < (polledAt(channel) ?? ''),
  )
  return { oldest: read.oldest, newest: read.newest, behindPoll }
}

/**
 * How old the status and prices of offers are, if the newest complete poll did not read them: `prices and status read 8 min ago`.
 * @param now the moment from which the age is counted
 * @param ago `before` where the moment is not now
 */
export function describePricesRead(read: PricesRead | null, now: Date, ago: 'ago' | 'before' = 'ago'): string | null {
  return read?.behindPoll ? `prices and status read ${formatAges(read, now)} ${ago}` : null
}

/**
 * How old the terms of offers are: `terms read 14 min ago`, or `terms read 3 to 14 min ago`.
 * @param now the moment from which the age is counted
 * @param ago `before` where the moment is not now
 */
export function describeTermsRead(read: TermsRead, now: Date, ago: 'ago' | 'before' = 'ago'): string {
  const { unread } = read
  const rest = unread === 0 ? '' : `, of ${unread} ${unread === 1 ? 'offer' : 'offers'} only the summary`
  return `terms read ${formatAges(read, now)} ${ago}${rest}`
}

/** `14 min`, or `3 to 14 min`. */
function formatAges({ oldest, newest }: Pick<TermsRead, 'oldest' | 'newest'>, now: Date): string {
  const [longest, shortest] = [formatAge(oldest, now), formatAge(newest, now)]
  return shortest === longest ? longest : `${shortest.replace(unitOf(longest), '')} to ${longest}`
}

/** ` min` of `14 min`, so that a unit is not repeated. */
const unitOf = (age: string): string => age.slice(age.lastIndexOf(' '))

/** `45 s`, `14 min`, `3 h`, `5 days`; `an unknown time` if it is in the future. */
export function formatAge(time: Timestamp, now: Date): string {
  const age = ageOf(time, now)
  if (age === Number.POSITIVE_INFINITY) return 'an unknown time'
  const seconds = Math.round(age / 1_000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  const hours = Math.round(minutes / 60)
  if (hours >= 48) return `${Math.round(hours / 24)} days`
  return minutes < 120 ? `${minutes} min` : `${hours} h`
}
