/** Returns the current time. Passed as a parameter so that tests control it. */
export type Clock = () => Date

/** Returns milliseconds on a monotonic clock. Passed as a parameter so that tests control it. */
export type MonotonicClock = () => number

/** UTC, ISO 8601 with milliseconds: the format of every timestamp stored or shown. */
export type Timestamp = string

/** A timestamp to the minute, in UTC: `2026-01-31 12:00`. */
export const formatMinute = (timestamp: Timestamp): string => timestamp.slice(0, 16).replace('T', ' ')

/** The clocks of machines that share a database may differ by this much without being wrong, in milliseconds. */
export const CLOCK_TOLERANCE_MS = 60_000

/** The most that the clocks of two machines that share a database can differ, even if one is wrong, in milliseconds. */
export const MAX_CLOCK_DIFFERENCE_MS = 600_000

/** What to do about a stored time that is in the future. */
export const CLOCK_REMEDY = 'set the clocks of all machines by a time server'

/** Whether a stored time is in the future by more than clocks may differ: one of them was or is wrong, and the age is unknown. */
export const isInFuture = (time: Timestamp, now: Date): boolean => Date.parse(time) - now.getTime() > CLOCK_TOLERANCE_MS

/** How long ago a stored time is, in milliseconds; null if it is in the future (`isInFuture`). */
export const ageOf = (time: Timestamp, now: Date): number | null =>
  isInFuture(time, now) ? null : Math.max(0, now.getTime() - Date.parse(time))

/** Times of a channel that are stored and in the future. */
export interface FutureTimes {
  channel: string
  /** The newest. */
  at: Timestamp
  /** Versions of documents that are recorded as of such a time. */
  versions: number
}

/** Describes the problem, without the remedy (`CLOCK_REMEDY`). */
export function describeFutureTimes({ channel, at, versions }: FutureTimes): string {
  const found = `times of ${channel} up to ${at} are stored, which is in the future by the clock of this machine`
  if (versions === 0) return found
  return `${found}; ${versions === 1 ? '1 version of a document is' : `${versions} versions of documents are`} missing as of earlier moments`
}
