/** The pause after the first failed attempt, in milliseconds. Each further pause is four times as long. */
const FIRST_PAUSE_MS = 5_000
const FACTOR = 4
const MAX_PAUSE_MS = 4 * 3_600_000

/** A delivery that fails after this time becomes a dead letter, in milliseconds. */
export const DEAD_AFTER_MS = 72 * 3_600_000

/**
 * The pause before the next attempt, in milliseconds.
 * @param failures consecutive failed attempts before this one
 * @param retryAfterMs the minimum pause that the target asked for
 * @param random returns 0 to 1, which shortens the pause by up to a half, so that processes do not retry at the same time
 */
export function retryPause(failures: number, retryAfterMs: number | null, random: () => number): number {
  const pause = Math.min(FIRST_PAUSE_MS * FACTOR ** Math.min(failures, 20), MAX_PAUSE_MS)
  return Math.max(Math.round(pause * (1 - random() / 2)), retryAfterMs ?? 0)
}
