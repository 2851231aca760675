/** Returns the current time. Passed as a parameter so that tests control it. */
export type Clock = () => Date

/** Returns milliseconds on a monotonic clock. Passed as a parameter so that tests control it. */
export type MonotonicClock = () => number

/** UTC, ISO 8601 with milliseconds: the format of every timestamp stored or shown. */
export type Timestamp = string

/** A timestamp to the minute, in UTC: `2026-01-31 12:00`. */
export const formatMinute = (timestamp: Timestamp): string => timestamp.slice(0, 16).replace('T', ' ')

/** The clocks of machines that share a database may differ by this much without being wrong, in milliseconds. */
const CLOCK_TOLERANCE_MS = 60_000

/**
 * How long ago a stored time is, in milliseconds. Infinite if it is in the future by more than clocks may differ: one of them was or is wrong,
 * so that the age is unknown and counts as old.
 */
export function ageOf(time: Timestamp, now: Date): number {
  const age = now.getTime() - Date.parse(time)
  return age < -CLOCK_TOLERANCE_MS ? Number.POSITIVE_INFINITY : Math.max(0, age)
}
