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

/** When an RFQ, which shows the status and prices of its offers, was last read. */
export interface PricesRead extends Pick<TermsRead, 'oldest' | 'newest'> {
  /** The newest complete poll did not read it. */
  behindPoll: boolean
}

/** When an RFQ was read; null if it is missing or was not. @param polledAt when the newest complete poll began; null if there is none */
export function pricesReadOf(
  { readAt, missingSince }: { readAt: Timestamp | null; missingSince: Timestamp | null },
  polledAt: Timestamp | null,
): PricesRead | null {
  if (readAt === null || missingSince !== null) return null
  return { oldest: readAt, newest: readAt, behindPoll: readAt < (polledAt ?? '') }
}

/**
 * How old what is shown of offers is: `prices and status read 8 min ago` if the newest complete poll did not read them, and
 * `terms read 3 to 14 min ago`.
 * @param now the moment from which the ages are counted
 * @param ago `before` where the moment is not now
 */
export function describeReads(
  { pricesRead, termsRead }: { pricesRead: PricesRead | null; termsRead: TermsRead | null },
  now: Date,
  ago: 'ago' | 'before' = 'ago',
): string[] {
  const prices = pricesRead?.behindPoll ? [`prices and status read ${formatAges(pricesRead, now)} ${ago}`] : []
  if (termsRead === null) return prices
  const { unread } = termsRead
  const rest = unread === 0 ? '' : `, of ${unread} ${unread === 1 ? 'offer' : 'offers'} only the summary`
  return [...prices, `terms read ${formatAges(termsRead, now)} ${ago}${rest}`]
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
