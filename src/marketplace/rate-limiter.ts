import type { Clock } from '../domain/clock.js'
import type { CancelToken } from './cancel-token.js'
import { PausedError } from './errors.js'
import type { Timing } from './timing.js'

/** The longest Retry-After a request waits for, in milliseconds; a longer one ends the run (reliability.md, fault 6). */
export const MAX_WAIT_MS = 60_000

export interface RateLimiterOptions {
  /** Requests under way at once. */
  concurrency: number
  /** Requests begun within any one second; Infinity for no limit. */
  perSecond: number
  timing: Timing
  now: Clock
}

interface Waiter {
  start: () => void
  reject: (error: unknown) => void
}

/**
 * Lets requests to one host begin: at most so many at once, so many in any second, none during a pause.
 * Whoever waits is served in turn, one request a lane (a session), so that a long poll does not starve another channel.
 * A request that may begin at once costs no timer; those that wait share one.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions
  readonly #starts: SlidingWindow
  readonly #lanes = new Map<object, Waiter[]>()
  #running = 0
  #pause: { release: number; until: Date } = { release: Number.NEGATIVE_INFINITY, until: new Date(0) }
  #alarm: AbortController | null = null

  constructor(options: RateLimiterOptions) {
    this.#options = options
    this.#starts = new SlidingWindow(options.perSecond)
  }

  /**
   * Waits for leave to send one request; `end` must follow.
   * @param lane who asks; lanes are served in turn
   * @throws PausedError at once in a pause too long to wait for; AbortedError when stopped
   */
  async acquire(lane: object, stop: CancelToken): Promise<void> {
    stop.throwIfCancelled()
    const pause = this.longPause()
    if (pause) throw pause
    if (this.#lanes.size === 0 && this.#running < this.#options.concurrency && this.#delay() <= 0) this.#start()
    else await this.#queue(lane, stop)
  }

  /** Gives back what `begin` gave. */
  end(): void {
    this.#running--
    this.#pump()
  }

  /**
   * Holds every request to the host. A pause under way is never shortened.
   * @param milliseconds from now
   */
  pause(milliseconds: number): void {
    const end = this.#options.timing.elapsed() + milliseconds
    if (end <= this.#pause.release) return
    this.#pause = { release: end, until: new Date(this.#options.now().getTime() + milliseconds) }
    const refusal = this.longPause()
    if (refusal) this.#refuseAll(refusal)
  }

  /** The error of a pause too long to wait for, null where there is none. */
  longPause(): PausedError | null {
    if (this.#pause.release - this.#options.timing.elapsed() <= MAX_WAIT_MS) return null
    const until = this.#pause.until.toISOString()
    return new PausedError(
      `The marketplace asked for no requests until ${until}, longer than a run waits. Nothing is lost: the next run after that goes on`,
      this.#pause.until,
    )
  }

  #delay(): number {
    const now = this.#options.timing.elapsed()
    return Math.max(this.#starts.delay(now), this.#pause.release - now)
  }

  #start(): void {
    this.#running++
    this.#starts.record(this.#options.timing.elapsed())
  }

  #queue(lane: object, stop: CancelToken): Promise<void> {
    return new Promise((resolve, reject) => {
      const unlisten = stop.onCancel((reason) => {
        this.#remove(lane, waiter)
        waiter.reject(reason)
      })
      const waiter: Waiter = {
        start: () => {
          unlisten()
          resolve()
        },
        reject: (error) => {
          unlisten()
          reject(error)
        },
      }
      const others = this.#lanes.get(lane)
      if (others) others.push(waiter)
      else this.#lanes.set(lane, [waiter])
      this.#pump()
    })
  }

  #remove(lane: object, waiter: Waiter): void {
    const waiting = this.#lanes.get(lane) ?? []
    const rest = waiting.filter((other) => other !== waiter)
    if (rest.length > 0) this.#lanes.set(lane, rest)
    else this.#lanes.delete(lane)
    if (this.#lanes.size === 0) this.#disarm()
  }

  #refuseAll(error: PausedError): void {
    const waiters = [...this.#lanes.values()].flat()
    this.#lanes.clear()
    this.#disarm()
    for (const waiter of waiters) waiter.reject(error)
  }

  #pump(): void {
    while (this.#lanes.size > 0 && this.#running < this.#options.concurrency) {
      const delay = this.#delay()
      if (delay > 0) {
        this.#arm(delay)
        return
      }
      this.#start()
      this.#next()?.start()
    }
  }

  /** The first waiter of the first lane; the lane goes to the end of the row. */
  #next(): Waiter | undefined {
    for (const [lane, waiters] of this.#lanes) {
      const waiter = waiters.shift()
      this.#lanes.delete(lane)
      if (waiters.length > 0) this.#lanes.set(lane, waiters)
      return waiter
    }
    return undefined
  }

  /** Delays only ever grow, so an alarm already set comes early at worst, and is set again. */
  #arm(delay: number): void {
    if (this.#alarm) return
    const alarm = new AbortController()
    this.#alarm = alarm
    const ring = () => {
      this.#alarm = null
      this.#pump()
    }
    this.#options.timing.wait(Math.ceil(delay), alarm.signal).then(ring, (error) => {
      if (!alarm.signal.aborted) throw error
    })
  }

  #disarm(): void {
    this.#alarm?.abort()
    this.#alarm = null
  }
}

const MAX_WINDOW_STARTS = 10_000

/** Remembers when the newest requests began: a sliding window, so that no second of any clock sees more than allowed. */
class SlidingWindow {
  readonly #times: Float64Array
  readonly #window: number
  #oldest = 0

  constructor(perSecond: number) {
    const kept = Math.min(Math.max(Math.floor(perSecond), 1), MAX_WINDOW_STARTS)
    this.#times = new Float64Array(kept).fill(Number.NEGATIVE_INFINITY)
    this.#window = (kept / perSecond) * 1000
  }

  delay(now: number): number {
    return (this.#times[this.#oldest] ?? 0) + this.#window - now
  }

  record(now: number): void {
    this.#times[this.#oldest] = now
    this.#oldest = (this.#oldest + 1) % this.#times.length
  }
}
