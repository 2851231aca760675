/** The times of one request, by our clock, and the marketplace's clock in its response. */
export interface ClockTimes {
  /** When the request was sent. */
  readAt: Date
  /** When the response had arrived. */
  answeredAt: Date
  /** The `Date` header, null if absent or unreadable. */
  serverDate: Date | null
}

/** The `Date` header has whole seconds: the marketplace's clock was up to this many milliseconds later. */
const HEADER_PRECISION_MS = 999

/**
 * How far our clock is ahead of the marketplace's, in seconds; negative if it is behind. Zero if the header fits the
 * time between request and response, null without a header.
 */
export function clockSkewSeconds({ serverDate, readAt, answeredAt }: ClockTimes): number | null {
  if (serverDate === null) return null
  const earliest = serverDate.getTime()
  const latest = earliest + HEADER_PRECISION_MS
  if (readAt.getTime() > latest) return (readAt.getTime() - latest) / 1000
  if (answeredAt.getTime() < earliest) return (answeredAt.getTime() - earliest) / 1000
  return 0
}
