/** The first pause after a failed attempt (ms). Each further pause is four times as long. */
const FIRST_PAUSE_MS = 5_000
const FACTOR = 4
const MAX_PAUSE_MS = 4 * 3_600_000

/** A delivery that fails when it is this old becomes a dead letter (ms). */
export const DEAD_AFTER_MS = 72 * 3_600_000

/**
 * How long to wait before the next attempt.
 * @param failures failed attempts in a row before this one
 * @param retryAfterMs what the target asked for; never waits less
 * @param random 0 to 1: shortens the pause by up to a half, so that processes do not retry in step
 */
export function retryPause(failures: number, retryAfterMs: number | null, random: () => number): number {
  const pause = Math.min(FIRST_PAUSE_MS * FACTOR ** Math.min(failures, 20), MAX_PAUSE_MS)
  return Math.max(Math.round(pause * (1 - random() / 2)), retryAfterMs ?? 0)
}
