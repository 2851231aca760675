import {
  claimOf,
  createProcessLedger,
  GRACE_MS,
  NO_STARTS,
  type RequestLedger,
  type StartClaim,
  type StartGrant,
  startInterval,
} from '../core/requests/request-ledger.js'
import type { Clock } from '../core/time/clock.js'
import { LedgerError, PausedError } from './errors.js'
import type { CancelToken } from './http/cancel-token.js'
import type { Timing } from './http/timing.js'

/** Maximum Retry-After that a request waits for, in milliseconds; a longer one ends the run. */
const MAX_WAIT_MS = 60_000
/** A start at most this long after its claim needs no second check for pauses, in milliseconds. */
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

/**
 * Limits the requests to one host: concurrency, starts per second, and none during a pause.
 * Waiting requests are served round-robin by fairness key (the session), so that a long poll does not starve another
 * channel. The first of them claims its start from the ledger, and waits for it.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions
  readonly #ledger: RequestLedger
  /** Average time between two starts, in milliseconds. */
  readonly #interval: number
  readonly #queues = new Map<object, Set<Waiter>>()
  #running = 0
  #pause: { end: number; until: Date } = { end: Number.NEGATIVE_INFINITY, until: new Date(0) }
  #pauses = 0
  /** How late the next start may be. */
  #grace = GRACE_MS
  #serving: Promise<void> | null = null
  #reporting: Promise<void> | null = null
  readonly #closed = new AbortController()
  /** Ends the wait of the first request. */
  #wait = new AbortController()

  constructor(options: RateLimiterOptions) {
    this.#options = options
    this.#ledger = options.ledger ?? createProcessLedger(() => options.timing.elapsed())
    this.#interval = startInterval(options.perSecond)
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
    this.#serve()
  }

  /**
   * Loads pauses that other processes were asked for.
   * @throws LedgerError if the ledger cannot be reached
   */
  async syncPauses(): Promise<void> {
    this.#pauseLocally((await this.#claim(NO_STARTS)).pausedFor)
  }

  /** Waits until the ledger is not in use. */
  async close(): Promise<void> {
    this.#closed.abort()
    this.#wait.abort()
    await Promise.all([this.#serving, this.#reporting])
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
    this.#pause = { end, until: new Date(this.#options.now().getTime() + milliseconds) }
    const error = this.longPause()
    if (error) this.#rejectAll(error)
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

  /** Admits waiting requests one after another. */
  #serve(): void {
    this.#serving ??= this.#admitAll()
      .catch((error: LedgerError) => this.#rejectAll(error))
      .finally(() => {
        this.#serving = null
        if (this.#canAdmit()) this.#serve()
      })
  }

  #canAdmit(): boolean {
    return this.#queues.size > 0 && this.#running < this.#options.concurrency
  }

  async #admitAll(): Promise<void> {
    while (this.#canAdmit()) {
      const first = this.#first()
      if (first === undefined || !(await this.#takeStarts(first.starts)) || this.#first() !== first) continue
      this.#running++
      this.#next()?.start()
    }
  }

  /** @returns false if a pause began, or the claimed start was missed, so that another has to be claimed */
  async #takeStarts(starts: number): Promise<boolean> {
    const { timing } = this.#options
    if (this.#pauseLeft() > 0) {
      await this.#sleep(this.#pauseLeft())
      return false
    }
    const [asked, pauses, grace] = [timing.elapsed(), this.#pauses, this.#grace]
    const { startsIn, pausedFor } = await this.#claim(claimOf(this.#interval, starts, grace))
    this.#pauseLocally(pausedFor)
    if (startsIn > 1 && pausedFor === 0) await this.#sleep(startsIn)
    if (startsIn > RECENT_MS && this.#queues.size > 0) await this.syncPauses()
    if (this.#pauses !== pauses) return false
    // The claim was made at `asked` or later.
    const isMissed = timing.elapsed() > asked + startsIn + grace
    this.#grace = isMissed ? Math.min(MAX_GRACE_MS, grace * 2) : GRACE_MS
    return !isMissed
  }

  async #claim(claim: StartClaim): Promise<StartGrant> {
    return this.#ledger.claim(claim).catch((error: unknown) => {
      throw new LedgerError(error)
    })
  }

  /** Ends early when nothing waits any more. */
  async #sleep(milliseconds: number): Promise<void> {
    this.#wait = new AbortController()
    await this.#options.timing.wait(milliseconds, this.#wait.signal).catch(() => undefined)
  }

  #first(): Waiter | undefined {
    const [waiters = []] = this.#queues.values()
    const [first] = waiters
    return first
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
      this.#serve()
    })
  }

  #remove(fairnessKey: object, waiter: Waiter): void {
    const waiting = this.#queues.get(fairnessKey)
    waiting?.delete(waiter)
    if (waiting?.size === 0) this.#queues.delete(fairnessKey)
    if (this.#queues.size === 0) this.#wait.abort()
  }

  #rejectAll(error: PausedError | LedgerError): void {
    const waiters = [...this.#queues.values()].flatMap((each) => [...each])
    this.#queues.clear()
    this.#wait.abort()
    for (const waiter of waiters) waiter.reject(error)
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
}
