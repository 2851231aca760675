import type { Timing } from '../../src/marketplace/contract.js'

/** A clock that advances only by waits, which end at once. */
export function quickTime(): Timing & { waits: number[] } {
  let elapsed = 0
  const waits: number[] = []
  return {
    waits,
    elapsed: () => elapsed,
    wait: async (milliseconds, signal) => {
      signal.throwIfAborted()
      waits.push(milliseconds)
      elapsed += milliseconds
    },
  }
}
