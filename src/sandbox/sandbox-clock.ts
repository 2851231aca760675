import type { Clock } from '../domain/clock.js'

/** The sandbox's clock: the one handed in, moved ahead by what was skipped, or standing still where it was put. */
export class SandboxClock {
  #base: Clock
  #ahead = 0
  #fixed: Date | null = null

  constructor(base: Clock) {
    this.#base = base
  }

  /** The present; bound, so that it can be handed on. */
  readonly now: Clock = () => (this.#fixed ? new Date(this.#fixed) : new Date(this.#base().getTime() + this.#ahead))

  /** Stops the clock at a moment, replaces it, or (null) lets the present one go on from where it is. */
  set(to: Date | Clock | null): void {
    const present = this.now().getTime()
    this.#fixed = to instanceof Date ? new Date(to) : null
    if (typeof to === 'function') this.#base = to
    if (typeof to === 'function') this.#ahead = 0
    if (to === null) this.#ahead = present - this.#base().getTime()
  }

  /** Moves ahead to a moment; never back. */
  advance(to: Date): void {
    if (this.#fixed) this.#fixed = new Date(Math.max(to.getTime(), this.#fixed.getTime()))
    else this.#ahead += Math.max(0, to.getTime() - this.now().getTime())
  }
}
