import {
  claimOf,
  createProcessLedger,
  GRACE_MS,
  NO_STARTS,
  type RequestLedger,
  type StartRate,
  startRate,
} from '../core/requests/request-ledger.js'
import type { Clock } from '../core/time/clock.js'
import { LedgerError, PausedError } from './errors.js'
import type { CancelToken } from './http/cancel-token.js'
import type { Timing } from './http/timing.js'

/** Maximum Retry-After that a request waits for, in milliseconds; a longer one ends the run. */
const MAX_WAIT_MS = 60_000
/** A batch that begins at most this long after its claim needs no second check for pauses, in milliseconds. */
const RECENT_MS = 50
/** Maximum delay of a start while this process or the ledger is slow, in milliseconds. */
const MAX_GRACE_MS = 1000
/** Interval at which a pause is reported again to a ledger that could not be reached, in milliseconds. */
const REPORT_RETRY_MS = 1000

export interface RateLimiterOptions {
  /** Requests of this process in flight at once. */
  concurrency: number
  /** Requests started within any one second. */
  perSecond: number
  /** Shares rate and pauses with other processes; without it, they apply to this process only. */
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

/** Starts that were taken from the ledger, to be used between two moments of the monotonic clock. */
interface Batch {
  left: number
  used: number
  from: number
  until: number
  /** The ledger had no pause when it began, or just before. */
  confirmed: boolean
}

const NO_BATCH: Batch = { left: 0, used: 0, from: 0, until: 0, confirmed: true }

/**
 * Limits the requests to one host: concurrency, starts per second, and none during a pause.
 * Waiting requests are served round-robin by fairness key (the session), so that a long poll does not starve another
 * channel. A request that can start at once needs no timer; waiting requests share one.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions
  readonly #ledger: RequestLedger
  readonly #rate: StartRate
  readonly #queues = new Map<object, Set<Waiter>>()
  #running = 0
  #pause: { end: number; until: Date } = { end: Number.NEGATIVE_INFINITY, until: new Date(0) }
  #pauses = 0
  #batch = NO_BATCH
  /** How late a start of the next batch may be. */
  #grace = GRACE_MS
  #claiming: Promise<void> | null = null
  #reporting: Promise<void> | null = null
  readonly #closed = new AbortController()
  #timer: AbortController | null = null

  constructor(options: RateLimiterOptions) {
    this.#options = options
    this.#ledger = options.ledger ?? createProcessLedger(() => options.timing.elapsed())
    this.#rate = startRate(options.perSecond)
  }

  /**
   * Waits until one request may start, or several in sequence; call `release` when they have ended.
   * @param fairnessKey requests with different keys take turns
   * @param starts number of requests in sequence: all are admitted now, so that only the first one waits
   * @throws PausedError at once during a pause too long to wait for; LedgerError if the ledger cannot be reached;
   *   AbortedError on cancellation
   */
  async acquire(fairnessKey: object, cancelToken: CancelToken, starts = 1): Promise<void> {
    cancelToken.throwIfCancelled()
    const pause = this.longPause()
    if (pause) throw pause
    await this.#enqueue(fairnessKey, cancelToken, starts)
  }

  /** Number of pauses that this process has learned of: two readings differ if there was a pause between them. */
  get pauses(): number {
    return this.#pauses
  }

  /** Ends a request that `acquire` admitted. */
  release(): void {
    this.#running--
    this.#startWaiting()
  }

  /**
   * Loads pauses that other processes were asked for.
   * @throws LedgerError if the ledger cannot be reached
   */
  async syncPauses(): Promise<void> {
    const { pausedFor } = await this.#ledger.claim(NO_STARTS).catch((error: unknown) => {
      throw new LedgerError(error)
    })
    this.#pauseLocally(pausedFor)
  }

  /** Waits until the ledger is not in use. */
  async close(): Promise<void> {
    this.#closed.abort()
    await Promise.all([this.#claiming, this.#reporting])
  }

  /**
   * Pauses all requests to the host, of all processes. Never shortens a current pause.
   * @param milliseconds from now
   */
  pause(milliseconds: number): void {
    this.#pauseLocally(milliseconds)
    this.#reporting ??= this.#reportPause()
  }

  async #reportPause(): Promise<void> {
    const { signal } = this.#closed
    let reported = Number.NEGATIVE_INFINITY
    while (reported < this.#pause.end && this.#pauseLeft() > 0 && !signal.aborted) {
      const { end } = this.#pause
      try {
        await this.#ledger.claim({ ...NO_STARTS, pausedFor: Math.ceil(this.#pauseLeft()) })
        reported = end
      } catch {
        await this.#options.timing.wait(REPORT_RETRY_MS, signal).catch(() => undefined)
      }
    }
    this.#reporting = null
  }

  #pauseLocally(milliseconds: number): void {
    const end = this.#options.timing.elapsed() + milliseconds
    if (milliseconds <= 0 || end <= this.#pause.end) return
    this.#pauses++
    this.#batch = NO_BATCH
    this.#pause = { end, until: new Date(this.#options.now().getTime() + milliseconds) }
    const error = this.longPause()
    if (error) this.#rejectAll(error)
    this.#disarm()
    this.#startWaiting()
  }

  /** The error of a pause too long to wait for; null if there is none. */
  longPause(): PausedError | null {
    if (this.#pauseLeft() <= MAX_WAIT_MS) return null
    const until = this.#pause.until.toISOString()
    return new PausedError(
      `The marketplace asked for a pause until ${until}, longer than a run waits. The next run after that continues`,
      this.#pause.until,
    )
  }

  #pauseLeft(): number {
    return this.#pause.end - this.#options.timing.elapsed()
  }

  /** Uses up starts of the batch if a request may start now. */
  #tryStart(starts: number): boolean {
    const now = this.#options.timing.elapsed()
    const { left, from, until, confirmed } = this.#batch
    if (left < starts || !confirmed || now < from || now > until) return false
    this.#batch.left -= starts
    this.#batch.used += starts
    this.#grace = GRACE_MS
    return true
  }

  /** Called while requests wait that `#tryStart` refused: waits for the start of the batch, or claims another. */
  #refill(together: number): void {
    if (this.#claiming) return
    const { timing } = this.#options
    const asked = timing.elapsed()
    const batch = this.#batch
    const isTaken = batch.left >= together && asked <= batch.until
    if (isTaken && asked < batch.from) {
      this.#arm(batch.from - asked)
      return
    }
    if (batch.used === 0 && batch.left > 0 && !isTaken) this.#grace = Math.min(MAX_GRACE_MS, this.#grace * 2)
    const starts = this.#nextStarts(together)
    const grace = this.#grace
    const claim = isTaken ? NO_STARTS : claimOf(this.#rate, starts, grace)
    this.#claiming = this.#ledger.claim(claim).then(
      ({ startsIn, pausedFor }) => {
        this.#claiming = null
        this.#pauseLocally(pausedFor)
        if (pausedFor > 0) this.#batch = NO_BATCH
        else if (isTaken) batch.confirmed = true
        else {
          // The claim was made between `asked` and now: begin late and end early.
          const [from, until] = [timing.elapsed() + startsIn, asked + startsIn + grace]
          this.#batch = { left: starts, used: 0, from, until, confirmed: startsIn <= RECENT_MS }
        }
        this.#startWaiting()
      },
      (error: unknown) => {
        this.#claiming = null
        this.#batch = NO_BATCH
        this.#rejectAll(new LedgerError(error))
      },
    )
  }

  /** Size of the next batch: as many starts as can be used before it ends, that is, at once, or twice as many as in the last one. */
  #nextStarts(together: number): number {
    const expected = Math.max(this.#options.concurrency - this.#running, 2 * this.#batch.used)
    return Math.max(together, Math.min(this.#countWaiting(), this.#rate.batch, expected))
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
    if (this.#queues.size === 0) this.#disarm()
  }

  #rejectAll(error: PausedError | LedgerError): void {
    const waiters = [...this.#queues.values()].flatMap((each) => [...each])
    this.#queues.clear()
    this.#disarm()
    for (const waiter of waiters) waiter.reject(error)
  }

  #startWaiting(): void {
    for (let first = this.#first(); first && this.#running < this.#options.concurrency; first = this.#first()) {
      const delay = this.#pauseLeft()
      if (delay > 0) {
        this.#arm(delay)
        return
      }
      if (!this.#tryStart(first.starts)) {
        this.#refill(first.starts)
        return
      }
      this.#running++
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

  /** A timer that is already set fires too early at worst, and is then set again; changes that would make it too late stop it. */
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
