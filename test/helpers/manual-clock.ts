import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Timing } from '../../src/marketplace/contract.js'

/** A clock that only the test moves. */
export class ManualClock implements Timing {
  #now = 0
  #timers: { at: number; fire: () => void }[] = []

  elapsed = () => this.#now
  random = () => 0
  wait = (milliseconds: number, signal: AbortSignal) =>
    new Promise<void>((fire, reject) => {
      const abort = () => {
        this.#timers = this.#timers.filter((other) => other !== timer)
        reject(signal.reason)
      }
      const timer = { at: this.#now + milliseconds, fire: () => fire(signal.removeEventListener('abort', abort)) }
      this.#timers.push(timer)
      signal.addEventListener('abort', abort)
    })

  /** Advances to the next timer and fires it; false if there is none. */
  async step(): Promise<boolean> {
    await yieldToEventLoop()
    const next = this.#timers.sort((a, b) => a.at - b.at).shift()
    if (!next) return false
    this.#now = Math.max(this.#now, next.at)
    next.fire()
    await yieldToEventLoop()
    return true
  }

  async runAll(): Promise<void> {
    while (await this.step());
  }
}
