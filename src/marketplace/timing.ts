import { setTimeout as sleep } from 'node:timers/promises'

/** How time passes, handed in so that tests need not wait (architecture.md, rule 8). */
export interface Timing {
  /** Milliseconds on a clock that never goes back. */
  elapsed(): number
  /** Waits; rejects at once when the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
  /** A number in [0, 1), for jitter. */
  random(): number
}

/** Time as it is. */
export const SYSTEM_TIMING: Timing = {
  elapsed: () => performance.now(),
  wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
  random: Math.random,
}
