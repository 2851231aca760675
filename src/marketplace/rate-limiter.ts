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
import type { RequestLimits } from './contract.js'
import { abortedError, LedgerError, PausedError } from './errors.js'
import type { Timing } from './timing.js'

/** Maximum Retry-After that a request waits for, in milliseconds; a longer one ends the run. */
const MAX_WAIT_MS = 60_000
/** A start at most this long after its claim needs no second check for pauses, in milliseconds. */
const RECENT_MS = 50
/** Maximum delay of a start while this process or the ledger is slow, in milliseconds. */
const MAX_GRACE_MS = 1000
/** Interval at which a pause is reported again to a ledger that could not be reached, in milliseconds. */
const REPORT_RETRY_MS = 1000

interface RateLimiterOptions extends Pick<RequestLimits, 'concurrency' | 'perSecond'> {
  /** Shares rate and pauses with other processes; without it, they apply to this process only. */
  ledger?: RequestLedger | undefined
  timing: Timing
  now: Clock
}

/** Who makes requests: different callers take turns. */
export interface Caller {
  /** Ends the wait of its requests. */
  readonly signal: AbortSignal
}

/** A slot among the requests in flight, with starts that the rate limiter has admitted. */
export interface Slot {
  /** Whether this process learned of a pause since the slot was acquired. */
  wasPaused(): boolean
  /** Releases the slot; call it once. Unused starts are lost. */
  release(): void
}

interface Waiter {
  /** Starts that it needs at once. */
  starts: number
  admit: (slot: Slot) => void
  reject: (error: unknown) => void
}

/**
 * Limits the requests to one host: concurrency, starts per second, and none during a pause.
 * Waiting requests are served round-robin by caller (the session), so that a long poll does not starve another
 * channel. The first of them claims its start from the ledger, and waits for it.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions
  readonly #ledger: RequestLedger
  /** Average time between two starts, in milliseconds. */
  readonly #interval: number
  readonly #queues = new Map<Caller, { waiters: Set<Waiter>; stopListening: () => void }>()
  #running = 0
  #pause: { end: number; until: Date } = { end: Number.NEGATIVE_INFINITY, until: new Date(0) }
  /** Number of pauses that this process has learned of. */
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
   * Waits until one request may start, or several in sequence.
   * @param starts number of requests in sequence: all are admitted now, so that only the first one waits
   * @returns their slot, which the caller releases
   * @throws PausedError at once during a pause too long to wait for; LedgerError if the ledger cannot be reached;
   *   AbortedError on cancellation
   */
  async acquire(caller: Caller, starts = 1): Promise<Slot> {
    for (const { signal } of [caller, this.#closed]) if (signal.aborted) throw abortedError(signal)
    const pause = this.longPause()
    if (pause) throw pause
    return new Promise((admit, reject) => {
      this.#queueOf(caller).add({ starts, admit, reject })
      this.#serve()
    })
  }

  /**
   * Loads pauses that other processes were asked for.
   * @throws LedgerError if the ledger cannot be reached
   */
  async syncPauses(): Promise<void> {
    this.#pauseLocally((await this.#claim(NO_STARTS)).pausedFor)
  }

  /**
   * Ends all waits, and waits until the ledger is not in use.
   * @param reason of the requests that wait, and of later ones
   */
  async close(reason?: Error): Promise<void> {
    this.#closed.abort(reason)
    this.#rejectAll(reason)
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
      this.#removeFirst()
      first.admit(this.#newSlot())
    }
  }

  #newSlot(): Slot {
    const pauses = this.#pauses
    return {
      wasPaused: () => this.#pauses !== pauses,
      release: () => {
        this.#running--
        this.#serve()
      },
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

  #queueOf(caller: Caller): Set<Waiter> {
    const known = this.#queues.get(caller)
    if (known) return known.waiters
    const { signal } = caller
    const reject = () => this.#reject(caller, abortedError(signal))
    signal.addEventListener('abort', reject)
    const waiters = new Set<Waiter>()
    this.#queues.set(caller, { waiters, stopListening: () => signal.removeEventListener('abort', reject) })
    return waiters
  }

  #first(): Waiter | undefined {
    const [queue] = this.#queues.values()
    const [first] = queue?.waiters ?? []
    return first
  }

  /** Removes the first waiter of the first caller, who is the last one then. */
  #removeFirst(): void {
    const [[caller, queue] = []] = this.#queues
    const [first] = queue?.waiters ?? []
    if (!caller || !queue || !first) return
    queue.waiters.delete(first)
    this.#queues.delete(caller)
    if (queue.waiters.size > 0) this.#queues.set(caller, queue)
    else queue.stopListening()
  }

  #reject(caller: Caller, error: unknown): void {
    const queue = this.#queues.get(caller)
    this.#queues.delete(caller)
    if (this.#queues.size === 0) this.#wait.abort()
    queue?.stopListening()
    for (const waiter of queue?.waiters ?? []) waiter.reject(error)
  }

  #rejectAll(error: unknown): void {
    this.#wait.abort()
    for (const caller of [...this.#queues.keys()]) this.#reject(caller, error)
  }
}
