import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

const SLICE_MS = 10

/**
 * Divides long work into slices of 10 ms: await the function before each part of it. At first, and after each slice, it lets the event loop
 * do other work.
 */
export function createTimeSlices(): () => Promise<void> {
  let end = 0
  return async () => {
    if (performance.now() < end) return
    await yieldToEventLoop()
    end = performance.now() + SLICE_MS
  }
}
