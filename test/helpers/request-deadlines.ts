import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { onTestFinished, vi } from 'vitest'

/** From now on, the deadlines of requests pass when the test says so, however slow the machine is. */
export function holdDeadlines() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let hasEnded = false
  onTestFinished(() => {
    hasEnded = true
    vi.useRealTimers()
  })
  return {
    pass: (milliseconds: number) => void vi.advanceTimersByTime(milliseconds),
    /** `expect.poll` and `eventually` would let the time pass. */
    waitUntil: async (isMet: () => boolean) => {
      while (!isMet() && !hasEnded) await yieldToEventLoop()
    },
  }
}
