import { setTimeout as sleep } from 'node:timers/promises'

/** Clock and timers, passed as a parameter so that tests need not wait. */
export interface Timing {
  /** Milliseconds on a monotonic clock. */
  elapsed(): number
  /** Resolves after the time; rejects at once if the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** The real clock. */
export const SYSTEM_TIMING: Timing = {
  elapsed: () => performance.now(),
  wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
}
