import { BATCH_MS, type LedgerReport, type LedgerShare, RENEW_MS, type RequestLedger } from '../core/request-ledger.js'
import type { Timing } from './timing.js'

/** How often to ask again for what other processes hold, in milliseconds. */
const POLL_MS = 50
/** Slots that are not used for this long are given back, in milliseconds. */
const IDLE_MS = 50
/** How late a start may be, in milliseconds; doubled while this process or the ledger is too slow. */
const MIN_GRACE_MS = 50
const MAX_GRACE_MS = 1000
/** How long to wait after the ledger could not be reached, in milliseconds. */
const FAILURE_PAUSE_MS = 1000
/** How long closing waits for the ledger, in milliseconds; without it, the lease expires. */
const MAX_CLOSE_MS = 500

export interface LimitShareOptions {
  ledger: RequestLedger
  concurrency: number
  perSecond: number
  timing: Timing
  /** The requests of this process, and how long a pause that it was asked for lasts, in milliseconds. */
  load: () => Pick<LedgerReport, 'running' | 'waiting' | 'together' | 'pausedFor'>
  /** Waiting requests may start now. */
  onChange: () => void
  /** Another process was asked for a pause. */
  onPause: (milliseconds: number) => void
  /** The ledger cannot be reached: nothing may start. */
  onError: (error: unknown) => void
}

/**
 * What the ledger lets this process do: slots, and a batch of starts. Claims more when they are needed, renews what is in
 * use, and gives back what is not.
 */
export class LimitShare {
  readonly #options: LimitShareOptions
  #slots = 0
  /** Starts granted and not used, valid from `#from` until `#until`. */
  #left = 0
  #from = 0
  #until = 0
  /** The grant began at once, or the ledger confirmed it when it began: no pause came in between. */
  #confirmed = false
  #used = 0
  #lastStart = Number.NEGATIVE_INFINITY
  #grace = MIN_GRACE_MS
  readonly #recent = new RecentCount()
  #claiming: Promise<void> | null = null
  #claimedAt = Number.NEGATIVE_INFINITY
  #releasedAt = Number.NEGATIVE_INFINITY
  #retryAt = Number.NEGATIVE_INFINITY
  #failedUntil = Number.NEGATIVE_INFINITY
  /** A pause that the ledger may not know of. */
  #hasUnreportedPause = false
  #timer: { at: number; controller: AbortController } | null = null
  #closed = false

  constructor(options: LimitShareOptions) {
    this.#options = options
  }

  /** Uses up that many starts if a request may start now. */
  tryStart(starts: number): boolean {
    const now = this.#options.timing.elapsed()
    this.#expire(now)
    if (this.#left < starts || !this.#confirmed || now < this.#from) return false
    if (this.#options.load().running >= this.#slots) return false
    this.#left -= starts
    this.#used += starts
    this.#lastStart = now
    this.#grace = MIN_GRACE_MS
    this.#recent.add(now, starts)
    return true
  }

  /** Call while requests wait that `tryStart` refused: claims what they need, now or as soon as that is of use. */
  request(): void {
    const now = this.#options.timing.elapsed()
    if (this.#nextClaim(now) <= now) this.#claim()
    else this.#schedule(now)
  }

  /** Call when a request has ended. If others wait, call `tryStart` or `request` next. */
  release(): void {
    this.#releasedAt = this.#options.timing.elapsed()
    this.#retryAt = Number.NEGATIVE_INFINITY
    if (this.#options.load().waiting === 0) this.#schedule(this.#releasedAt)
  }

  /** Call when this process was asked for a pause: tells the others at once. */
  reportPause(): void {
    this.#hasUnreportedPause = true
    if (!this.#claiming && !this.#closed) this.#claim()
  }

  /** Gives everything back. */
  async close(): Promise<void> {
    this.#closed = true
    this.#disarm()
    if (this.#claimedAt === Number.NEGATIVE_INFINITY) return
    const timer = new AbortController()
    const timeOut = this.#options.timing.wait(MAX_CLOSE_MS, timer.signal).catch(() => undefined)
    await Promise.race([this.#giveBack(), timeOut])
    timer.abort()
  }

  async #giveBack(): Promise<void> {
    await this.#claiming
    const used = { starts: this.#used, lastStartAgo: this.#options.timing.elapsed() - this.#lastStart }
    await this.#options.ledger.claim({ ...this.#report(used), running: 0, waiting: 0 }).catch(() => undefined)
  }

  /** Forfeits starts that were not used in time; if none was, more time is asked for. */
  #expire(now: number): void {
    if (this.#left === 0 || now <= this.#until) return
    if (this.#used === 0) this.#grace = Math.min(MAX_GRACE_MS, this.#grace * 2)
    this.#left = 0
  }

  /** When to claim next; infinite if no claim is of use. */
  #nextClaim(now: number): number {
    if (this.#claiming || this.#closed) return Number.POSITIVE_INFINITY
    if (this.#hasUnreportedPause) return Math.max(now, this.#failedUntil)
    const { concurrency, load } = this.#options
    const { running, waiting } = load()
    let next = running + waiting > 0 ? this.#claimedAt + RENEW_MS : Number.POSITIVE_INFINITY
    if (running + waiting < this.#slots) next = Math.min(next, Math.max(this.#releasedAt, this.#claimedAt) + IDLE_MS)
    if (waiting > 0 && running < concurrency)
      next = Math.min(next, this.#left > 0 && !this.#confirmed ? this.#from : this.#retryAt)
    return Math.max(now, this.#failedUntil, next)
  }

  #claim(): void {
    this.#disarm()
    const { timing, ledger, load } = this.#options
    const asked = timing.elapsed()
    this.#expire(asked)
    const { waiting, together } = load()
    const keep = waiting > 0 && this.#left >= together
    const used = keep ? null : { starts: this.#used, lastStartAgo: asked - this.#lastStart }
    if (!keep) this.#left = 0
    this.#claimedAt = asked
    this.#hasUnreportedPause = false
    this.#claiming = ledger.claim(this.#report(used)).then(
      (share) => this.#accept(share, asked, keep),
      (error: unknown) => this.#fail(error),
    )
  }

  #report(used: { starts: number; lastStartAgo: number } | null) {
    const { concurrency, perSecond, timing, load } = this.#options
    return {
      concurrency,
      perSecond,
      ...load(),
      recentStarts: this.#recent.count(timing.elapsed()),
      used,
      grace: this.#grace,
    }
  }

  #accept({ slots, starts, startsIn, validFor, pausedFor }: LedgerShare, asked: number, kept: boolean): void {
    const now = this.#options.timing.elapsed()
    this.#claiming = null
    this.#slots = slots
    if (!kept) this.#used = 0
    this.#left = kept ? Math.min(this.#left, starts) : starts
    // The claim was answered between `asked` and now: begin late and end early.
    this.#from = now + startsIn
    this.#until = asked + validFor
    this.#confirmed = startsIn === 0
    this.#retryAt = now + POLL_MS
    if (pausedFor > 0) this.#options.onPause(pausedFor)
    this.#options.onChange()
    this.#schedule(now)
  }

  #fail(error: unknown): void {
    this.#claiming = null
    this.#slots = 0
    this.#left = 0
    const now = this.#options.timing.elapsed()
    this.#failedUntil = now + FAILURE_PAUSE_MS
    this.#hasUnreportedPause = this.#options.load().pausedFor > 0
    if (!this.#closed) this.#options.onError(error)
    this.#schedule(now)
  }

  #schedule(now: number): void {
    const at = this.#nextClaim(now)
    if (at === Number.POSITIVE_INFINITY || (this.#timer && this.#timer.at <= at)) return
    this.#disarm()
    const controller = new AbortController()
    this.#timer = { at, controller }
    const onTimer = () => {
      this.#timer = null
      const time = this.#options.timing.elapsed()
      if (this.#nextClaim(time) <= time) this.#claim()
      else this.#schedule(time)
    }
    this.#options.timing.wait(Math.ceil(at - now), controller.signal).then(onTimer, (error) => {
      if (!controller.signal.aborted) throw error
    })
  }

  #disarm(): void {
    this.#timer?.controller.abort()
    this.#timer = null
  }
}

/** How many starts the last `BATCH_MS` had, more or less: counted in two periods of that length. */
class RecentCount {
  #began = 0
  #current = 0
  #previous = 0

  add(now: number, starts: number): void {
    this.#turn(now)
    this.#current += starts
  }

  count(now: number): number {
    this.#turn(now)
    return Math.max(this.#current, this.#previous)
  }

  #turn(now: number): void {
    if (now - this.#began < BATCH_MS) return
    this.#previous = now - this.#began < 2 * BATCH_MS ? this.#current : 0
    this.#current = 0
    this.#began = now
  }
}
