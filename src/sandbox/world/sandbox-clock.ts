import type { Clock } from '../../core/time/clock.js'

/** The sandbox's clock: a base clock plus an offset, or stopped at a fixed moment. */
export class SandboxClock {
  #base: Clock
  #offsetMs = 0
  #fixed: Date | null = null

  constructor(base: Clock) {
    this.#base = base
  }

  /** The current time. Bound, so that it can be passed on as a function. */
  readonly now: Clock = () => (this.#fixed ? new Date(this.#fixed) : new Date(this.#base().getTime() + this.#offsetMs))

  /** Stops the clock at a date, replaces its base clock, or (null) lets it run on from the current time. */
  set(to: Date | Clock | null): void {
    const current = this.now().getTime()
    this.#fixed = to instanceof Date ? new Date(to) : null
    if (typeof to === 'function') {
      this.#base = to
      this.#offsetMs = 0
    }
    if (to === null) this.#offsetMs = current - this.#base().getTime()
  }

  /** Moves the clock forward to a moment; an earlier moment changes nothing. */
  advance(to: Date): void {
    if (this.#fixed) this.#fixed = new Date(Math.max(to.getTime(), this.#fixed.getTime()))
    else this.#offsetMs += Math.max(0, to.getTime() - this.now().getTime())
  }
}
