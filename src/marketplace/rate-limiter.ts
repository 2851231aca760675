import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises'
import {
  claimOf,
  createProcessLedger,
  GRACE_MS,
  NO_STARTS,
  type RequestLedger,
  type StartClaim,
  type StartGrant,
  startInterval,
  startsTogether,
} from '../core/requests/request-ledger.js'
import type { Clock } from '../core/time/clock.js'
import type { RequestLimits, Timing } from './contract.js'
import { abortedError, MarketplaceError, PausedError } from './errors.js'

/** The real clock. */
export const SYSTEM_TIMING: Timing = {
  elapsed: () => performance.now(),
  wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
}

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
  caller: Caller
  /** Starts that it needs at once. */
  starts: number
  admit: (slot: Slot) => void
  reject: (error: unknown) => void
}

/**
 * Limits the requests to one host: concurrency, starts per second, and none during a pause.
 * Callers (sessions) whose requests wait take turns, so that a long poll does not starve another channel. The next request claims its start
 * from the ledger, with those of others that wait if the limit has room for them within moments, and waits for it.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions
  readonly #ledger: RequestLedger
  /** Average time between two starts, in milliseconds. */
  readonly #interval: number
  /** Those of each caller, of the one whose turn it is first. */
  #waiters: Waiter[][] = []
  #running = 0
  /** When the current pause ends, on the monotonic clock. */
  #pauseEnd = Number.NEGATIVE_INFINITY
  /** Number of pauses that this process has learned of. */
  #pauses = 0
  /** How late the next start may be. */
  #grace = GRACE_MS
  #serving: Promise<void> | null = null
  #reporting: Promise<void> | null = null
  readonly #closed = new AbortController()

  constructor(options: RateLimiterOptions) {
    this.#options = options
    this.#ledger = options.ledger ?? createProcessLedger(() => options.timing.elapsed())
    this.#interval = startInterval(options.perSecond)
  }

  /**
   * Waits until one request may start, or several in sequence.
   * @param starts number of requests in sequence: all are admitted now, so that only the first one waits
   * @returns their slot, which the caller releases
   * @throws PausedError at once during a pause too long to wait for; MarketplaceError if the ledger cannot be reached;
   *   AbortedError on cancellation
   */
  async acquire(caller: Caller, starts = 1): Promise<Slot> {
    for (const { signal } of [caller, this.#closed]) if (signal.aborted) throw abortedError(signal)
    const pause = this.longPause()
    if (pause) throw pause
    const { signal } = caller
    const abort = () => this.#rejectAll(abortedError(signal), caller)
    signal.addEventListener('abort', abort)
    return new Promise<Slot>((admit, reject) => {
      const waiter = { caller, starts, admit, reject }
      const others = this.#waiters.find(([first]) => first?.caller === caller)
      if (others) others.push(waiter)
      else this.#waiters.push([waiter])
      this.#serve()
    }).finally(() => signal.removeEventListener('abort', abort))
  }

  /**
   * Loads pauses that other processes were asked for.
   * @throws MarketplaceError if the ledger cannot be reached
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
   * @param milliseconds from now; 0: no pause
   */
  pause(milliseconds: number): void {
    if (milliseconds === 0) return
    this.#pauseLocally(milliseconds)
    this.#reporting ??= this.#reportPause()
  }

  async #reportPause(): Promise<void> {
    const { signal } = this.#closed
    let reported = Number.NEGATIVE_INFINITY
    while (reported < this.#pauseEnd && this.#pauseLeft() > 0 && !signal.aborted) {
      const end = this.#pauseEnd
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
    if (milliseconds <= 0 || end <= this.#pauseEnd) return
    this.#pauses++
    this.#pauseEnd = end
    const error = this.longPause()
    if (error) this.#rejectAll(error)
  }

  /** The error of a pause too long to wait for; null if there is none. */
  longPause(): PausedError | null {
    if (this.#pauseLeft() <= MAX_WAIT_MS) return null
    const until = new Date(this.#options.now().getTime() + this.#pauseLeft())
    const message = `The marketplace asked for a pause until ${until.toISOString()}, longer than a run waits`
    return new PausedError(`${message}. The next run after that continues`, until)
  }

  #pauseLeft(): number {
    return this.#pauseEnd - this.#options.timing.elapsed()
  }

  /** Admits waiting requests one after another. */
  #serve(): void {
    this.#serving ??= this.#admitAll()
      .catch((error: MarketplaceError) => this.#rejectAll(error))
      .finally(() => {
        this.#serving = null
        if (this.#canAdmit()) this.#serve()
      })
  }

  #canAdmit(): boolean {
    return this.#waiters.length > 0 && this.#running < this.#options.concurrency
  }

  async #admitAll(): Promise<void> {
    // Requests of the same turn of the event loop claim their starts together.
    await yieldToEventLoop()
    while (this.#canAdmit()) {
      const starts = this.#next()?.starts ?? 1
      const waiting = this.#waiters.reduce((sum, { length }) => sum + length, 0)
      const free = this.#options.concurrency - this.#running
      const count = starts > 1 ? 1 : Math.min(waiting, free, startsTogether(this.#interval))
      const claim = claimOf(this.#interval, starts * count, this.#grace)
      if (!(await this.#take(starts > 1 ? claim : { ...claim, lead: 0 }))) continue
      // Some may be rejected meanwhile.
      let left = count
      for (let next = this.#next(); next?.starts === starts && left-- > 0; next = this.#next()) this.#admit(next)
    }
  }

  /** The request whose turn it is. */
  #next(): Waiter | undefined {
    return this.#waiters[0]?.[0]
  }

  /** Admits the request whose turn it is; then it is that of another caller. */
  #admit({ admit }: Waiter): void {
    const waiters = this.#waiters.shift() ?? []
    waiters.shift()
    if (waiters.length > 0) this.#waiters.push(waiters)
    this.#running++
    const pauses = this.#pauses
    const release = () => {
      this.#running--
      this.#serve()
    }
    admit({ wasPaused: () => this.#pauses !== pauses, release })
  }

  /** @returns false if a pause began, or the claimed starts were missed, so that others have to be claimed */
  async #take(claim: StartClaim): Promise<boolean> {
    const { timing } = this.#options
    if (this.#pauseLeft() > 0) {
      await this.#sleep(this.#pauseLeft())
      return false
    }
    const [asked, pauses, grace] = [timing.elapsed(), this.#pauses, this.#grace]
    const { startsIn, pausedFor } = await this.#claim(claim)
    this.#pauseLocally(pausedFor)
    if (startsIn > 1 && pausedFor === 0) await this.#sleep(startsIn)
    if (startsIn > RECENT_MS) await this.syncPauses()
    if (this.#pauses !== pauses) return false
    // The claim was made at `asked` or later, and the last of the starts is due that much after the first.
    const early = (startsTogether(this.#interval) - 1) * this.#interval
    const isMissed = timing.elapsed() > asked + startsIn + grace - early
    this.#grace = isMissed ? Math.min(MAX_GRACE_MS, grace * 2) : GRACE_MS
    return !isMissed
  }

  async #claim(claim: StartClaim): Promise<StartGrant> {
    return this.#ledger.claim(claim).catch((cause: Error) => {
      const message = 'No request was sent, because the limits that all processes keep together cannot be checked'
      throw new MarketplaceError(`${message}. ${cause.message}`, { cause })
    })
  }

  async #sleep(milliseconds: number): Promise<void> {
    await this.#options.timing.wait(milliseconds, this.#closed.signal).catch(() => undefined)
  }

  /** @param caller only its requests; default: all */
  #rejectAll(error: unknown, caller?: Caller): void {
    const isKept = ([first]: Waiter[]) => caller !== undefined && first?.caller !== caller
    const rejected = this.#waiters.filter((waiters) => !isKept(waiters))
    this.#waiters = this.#waiters.filter(isKept)
    for (const waiter of rejected.flat()) waiter.reject(error)
  }
}
