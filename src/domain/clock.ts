/** Returns the current time. Passed as a parameter so that tests control it. */
export type Clock = () => Date

/** Returns milliseconds on a monotonic clock, which nobody sets. Passed as a parameter so that tests control it. */
export type MonotonicClock = () => number

/** UTC, ISO 8601 with milliseconds: the format of every timestamp stored or shown. */
export type Timestamp = string

/** The clocks of machines that share a database may differ by this much without being wrong, in milliseconds. */
export const CLOCK_TOLERANCE_MS = 60_000

/** Whether a stored time is in the future by more than clocks may differ: one of them was or is wrong, and the age is unknown. */
export const isInFuture = (time: Timestamp, now: Date): boolean => Date.parse(time) - now.getTime() > CLOCK_TOLERANCE_MS
