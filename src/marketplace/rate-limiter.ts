import type { Clock } from '../core/clock.js'
import type { RequestLedger } from '../core/request-ledger.js'
import type { CancelToken } from './cancel-token.js'
import { LedgerError, PausedError } from './errors.js'
import { LimitShare } from './limit-share.js'
import type { Timing } from './timing.js'

/** Longest Retry-After that a request waits for, in milliseconds; a longer one ends the run. */
const MAX_WAIT_MS = 60_000

export interface RateLimiterOptions {
  /** Requests in flight at once. */
  concurrency: number
  /** Requests started within any one second; Infinity for no limit. */
  perSecond: number
  /** Keeps the limits for all processes together; without it, they hold for this process only. */
  ledger?: RequestLedger | undefined
  timing: Timing
  now: Clock
}

interface Waiter {
  /** Starts that it needs at once. */
  starts: number
  start: () => void
  reject: (error: unknown) => void
}

/**
 * Limits the requests to one host: concurrency, starts per second, and none during a pause.
 * Waiting requests are served round-robin by fairness key (the session), so that a long poll does not starve another
 * channel. A request that can start at once needs no timer; waiting requests share one.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions
  readonly #starts: SlidingWindow
  readonly #queues = new Map<object, Set<Waiter>>()
  #running = 0
  #pause: { end: number; until: Date } = { end: Number.NEGATIVE_INFINITY, until: new Date(0) }
  #pauses = 0
  /** End of the newest pause that this process was asked for; `#pause` may be one of another process. */
  #ownPauseEnd = Number.NEGATIVE_INFINITY
  readonly #share: LimitShare | null
  #timer: AbortController | null = null

  constructor(options: RateLimiterOptions) {
    this.#options = options
    this.#starts = new SlidingWindow(options.perSecond)
    this.#share = options.ledger ? this.#openShare(options.ledger) : null
  }

  /**
   * Waits until one request may start, or several that follow each other in its place; call `release` when it has ended.
   * @param fairnessKey requests with different keys take turns
   * @param starts how many requests will start: all are paid for now, so that only the first one waits
   * @throws PausedError at once during a pause too long to wait for; LedgerError if the ledger cannot be reached;
   *   AbortedError on cancellation
   */
  async acquire(fairnessKey: object, cancelToken: CancelToken, starts = 1): Promise<void> {
    if (this.tryAcquire(cancelToken, starts)) return
    const pause = this.longPause()
    if (pause) throw pause
    await this.#enqueue(fairnessKey, cancelToken, starts)
  }

  /**
   * Starts one request if it need not wait; call `release` when it has ended.
   * @throws AbortedError if it was cancelled
   */
  tryAcquire(cancelToken: CancelToken, starts = 1): boolean {
    cancelToken.throwIfCancelled()
    if (this.#queues.size > 0 || this.#running >= this.#options.concurrency) return false
    if (this.#delay(starts) > 0 || !this.#takeStarts(starts)) return false
    this.#start(starts)
    return true
  }

  /** How many pauses this process has heard of: whoever compares two readings knows whether one came between them. */
  get pauses(): number {
    return this.#pauses
  }

  /** Ends a request that `acquire` admitted. */
  release(): void {
    this.#running--
    this.#share?.release()
    this.#startWaiting()
  }

  /** Gives back what other processes may use. */
  async close(): Promise<void> {
    await this.#share?.close()
  }

  /**
   * Pauses all requests to the host, of all processes. Never shortens a current pause.
   * @param milliseconds from now
   */
  pause(milliseconds: number): void {
    this.#ownPauseEnd = Math.max(this.#ownPauseEnd, this.#options.timing.elapsed() + milliseconds)
    this.#pauseHere(milliseconds)
    this.#share?.reportPause()
  }

  #pauseHere(milliseconds: number): void {
    const end = this.#options.timing.elapsed() + milliseconds
    if (end <= this.#pause.end) return
    this.#pauses++
    this.#pause = { end, until: new Date(this.#options.now().getTime() + milliseconds) }
    const error = this.longPause()
    if (error) this.#rejectAll(error)
  }

  /** The error of a pause too long to wait for; null if there is none. */
  longPause(): PausedError | null {
    if (this.#pause.end - this.#options.timing.elapsed() <= MAX_WAIT_MS) return null
    const until = this.#pause.until.toISOString()
    return new PausedError(
      `The marketplace asked for a pause until ${until}, longer than a run waits. The next run after that continues`,
      this.#pause.until,
    )
  }

  #openShare(ledger: RequestLedger): LimitShare {
    const { concurrency, perSecond, timing } = this.#options
    return new LimitShare({
      ledger,
      concurrency,
      perSecond,
      timing,
      load: () => ({
        running: this.#running,
        waiting: this.#pause.end > timing.elapsed() ? 0 : this.#countWaiting(),
        together: this.#first()?.starts ?? 1,
        pausedFor: Math.max(0, this.#ownPauseEnd - timing.elapsed()),
      }),
      onChange: () => this.#startWaiting(),
      onPause: (milliseconds) => this.#pauseHere(milliseconds),
      onError: (error) => this.#rejectAll(new LedgerError(error)),
    })
  }

  #takeStarts(starts: number): boolean {
    return this.#share === null || this.#share.tryStart(starts)
  }

  #first(): Waiter | undefined {
    const [waiters = []] = this.#queues.values()
    const [first] = waiters
    return first
  }

  #countWaiting(): number {
    let count = 0
    for (const waiters of this.#queues.values()) count += waiters.size
    return count
  }

  #delay(starts: number): number {
    const now = this.#options.timing.elapsed()
    return Math.max(this.#starts.delay(now, starts), this.#pause.end - now)
  }

  #start(starts: number): void {
    this.#running++
    for (let start = 0; start < starts; start++) this.#starts.record(this.#options.timing.elapsed())
  }

  #enqueue(fairnessKey: object, cancelToken: CancelToken, starts: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const unlisten = cancelToken.onCancel((reason) => {
        this.#remove(fairnessKey, waiter)
        waiter.reject(reason)
      })
      const waiter: Waiter = {
        starts,
        start: () => {
          unlisten()
          resolve()
        },
        reject: (error) => {
          unlisten()
          reject(error)
        },
      }
      const others = this.#queues.get(fairnessKey)
      if (others) others.add(waiter)
      else this.#queues.set(fairnessKey, new Set([waiter]))
      this.#startWaiting()
    })
  }

  #remove(fairnessKey: object, waiter: Waiter): void {
    const waiting = this.#queues.get(fairnessKey)
    waiting?.delete(waiter)
    if (waiting?.size === 0) this.#queues.delete(fairnessKey)
    if (waiter.starts === 1 && this.#queues.size > 0) return
    // The one that is first now may have to wait for less time.
    this.#disarm()
    this.#startWaiting()
  }

  #rejectAll(error: PausedError | LedgerError): void {
    const waiters = [...this.#queues.values()].flatMap((each) => [...each])
    this.#queues.clear()
    this.#disarm()
    for (const waiter of waiters) waiter.reject(error)
  }

  #startWaiting(): void {
    for (let first = this.#first(); first && this.#running < this.#options.concurrency; first = this.#first()) {
      const delay = this.#delay(first.starts)
      if (delay > 0) {
        this.#arm(delay)
        return
      }
      if (!this.#takeStarts(first.starts)) {
        this.#share?.request()
        return
      }
      this.#start(first.starts)
      this.#next()?.start()
    }
  }

  /** Takes the first waiter of the first key and moves the key to the end. */
  #next(): Waiter | undefined {
    for (const [fairnessKey, waiters] of this.#queues) {
      const [waiter] = waiters
      if (waiter) waiters.delete(waiter)
      if (waiters.size > 0 && this.#queues.size === 1) return waiter
      this.#queues.delete(fairnessKey)
      if (waiters.size > 0) this.#queues.set(fairnessKey, waiters)
      return waiter
    }
    return undefined
  }

  /** The delay of the first one only grows, so a timer already set fires too early at worst, and is set again. */
  #arm(delay: number): void {
    if (this.#timer) return
    const timer = new AbortController()
    this.#timer = timer
    const onTimer = () => {
      this.#timer = null
      this.#startWaiting()
    }
    this.#options.timing.wait(Math.ceil(delay), timer.signal).then(onTimer, (error) => {
      if (!timer.signal.aborted) throw error
    })
  }

  #disarm(): void {
    this.#timer?.abort()
    this.#timer = null
  }
}

const MAX_WINDOW_STARTS = 10_000

/** Start times of the newest requests. A sliding window, so that no period of one second exceeds the limit. */
class SlidingWindow {
  readonly #times: Float64Array
  readonly #window: number
  #oldest = 0

  constructor(perSecond: number) {
    const kept = Math.min(Math.max(Math.floor(perSecond), 1), MAX_WINDOW_STARTS)
    this.#times = new Float64Array(kept).fill(Number.NEGATIVE_INFINITY)
    this.#window = (kept / perSecond) * 1000
  }

  /** How long until so many requests may start; more than the window has room for wait as if they began one after another. */
  delay(now: number, starts: number): number {
    const kept = this.#times.length
    const last = (this.#oldest + Math.min(starts, kept) - 1) % kept
    return (this.#times[last] ?? 0) + this.#window * Math.max(1, starts - kept + 1) - now
  }

  record(now: number): void {
    this.#times[this.#oldest] = now
    this.#oldest = (this.#oldest + 1) % this.#times.length
  }
}
