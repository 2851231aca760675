import type { Timestamp } from './clock.js'
import { formatAges } from './terms-read.js'

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

/**
 * How old the status and prices of offers are, if the newest complete poll did not read them: `prices and status read 8 min ago`.
 * @param now the moment from which the age is counted
 * @param ago `before` where the moment is not now
 */
export function describePricesRead(read: PricesRead | null, now: Date, ago: 'ago' | 'before' = 'ago'): string | null {
  return read?.behindPoll ? `prices and status read ${formatAges(read, now)} ${ago}` : null
}
