import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

const SLICE_MS = 10

/** Divides long work into slices of 10 ms, between which the event loop can do other work. */
export class TimeSlice {
  #end = performance.now() + SLICE_MS

  /** Whether the time of this slice is used up; if so, await `next()`. */
  get isOver(): boolean {
    return performance.now() >= this.#end
  }

  /** Lets the event loop run, then begins a new slice. */
  async next(): Promise<void> {
    await yieldToEventLoop()
    this.#end = performance.now() + SLICE_MS
  }
}
