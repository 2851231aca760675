import { constants } from 'node:buffer'
import type { Dispatcher } from 'undici'
import type { RequestLedger } from '../../core/requests/request-ledger.js'
import type { Clock } from '../../core/time/clock.js'
import { clockSkewSeconds } from '../../core/time/clock-skew.js'
import type { Operation, RequestLimits, RequestObserver } from '../contract.js'
import { AbortedError, NotSentError, type PausedError, UnavailableError } from '../errors.js'
import { RateLimiter } from '../rate-limiter.js'
import { CancelToken } from './cancel-token.js'
import { createDispatcher } from './dispatcher.js'
import { parseHttpDate, parseRetryAfter } from './http-date.js'
import { ACCEPT_ENCODING, type HttpReply, type HttpRequest, sendHttpRequest } from './http-exchange.js'
import type { Timing } from './timing.js'

export interface TransportOptions {
  baseUrl: string
  limits: RequestLimits
  version: string
  ledger?: RequestLedger | undefined
  observer: RequestObserver
  now: Clock
  timing: Timing
}

/** An operation on a resource. */
export interface Target {
  operation: Operation
  method: 'GET' | 'POST'
  scope: 'list' | 'item'
  /** Complete and percent-encoded. */
  path: string
  /** Names the request in messages; contains no secret. */
  label: () => string
}

export interface TransportRequest {
  target: Target
  /** With the API key (`Transport.headers`). */
  headers: Readonly<Record<string, string>>
  /** Attempts of the same read before this one. */
  retry: number
  /** See RateLimiter. */
  fairnessKey: object
  cancelToken: CancelToken
  /** Called before connecting; may throw to send nothing. */
  beforeSend: () => void
  /** See HttpRequest. */
  refuseStart?: (() => string | null) | undefined
  /** A slot from `acquire`, which the caller releases. Default: waits for a slot with one start. */
  slot?: Slot | undefined
}

/** A slot among the requests in flight, with starts that the rate limiter has admitted. */
export interface Slot {
  /** Whether this process learned of a pause since the slot was acquired. */
  wasPaused(): boolean
  /** Loads pauses that other processes were asked for. Errors: LedgerError. */
  syncPauses(): Promise<void>
  /** Releases the slot; call it once. Unused starts are lost. */
  release(): void
}

export interface TransportReply extends HttpReply {
  /** Just before the request was sent. */
  sentAt: Date
  /** The `Date` header, null if absent or invalid. */
  serverDate: Date | null
}

const CONNECT_TIMEOUT_MS = 10_000
/** A reply whose `Date` falls behind that of another one by this much is old; by more, the marketplace's clock was set. */
const OLD_REPLY_SECONDS = { over: 5, upTo: 60 }
/** For how long a reply is compared with later ones, in milliseconds. */
const COMPARED_MS = 5 * 60_000

/** Sends requests to one marketplace. Shared by all sessions: connections, limits, pauses. */
export class Transport {
  readonly origin: string
  /** The path of the base URL, without a trailing slash. */
  readonly prefix: string
  /** Cancelled when the client is closed. */
  readonly cancelToken = new CancelToken()
  readonly #options: TransportOptions
  readonly #rateLimiter: RateLimiter
  readonly #reads: Dispatcher
  readonly #closes: Dispatcher
  /** A recent reply: its `Date` in milliseconds, and when it had arrived by the wall clock and by the monotonic clock. */
  #compared = { date: 0, at: 0, elapsed: Number.NEGATIVE_INFINITY }

  constructor(options: TransportOptions) {
    const { origin, pathname } = new URL(options.baseUrl)
    const { concurrency, perSecond, timeoutMs } = options.limits
    this.#options = options
    this.origin = origin
    this.prefix = pathname.replace(/\/+$/, '')
    const { ledger, timing, now } = options
    this.#rateLimiter = new RateLimiter({ concurrency, perSecond, ledger, timing, now })
    const connectMs = Math.min(CONNECT_TIMEOUT_MS, timeoutMs)
    // http-exchange.ts enforces one deadline per request in place of undici's timeouts.
    const pool = { connections: concurrency, headersTimeout: 0, bodyTimeout: 0 }
    this.#reads = createDispatcher(origin, connectMs, pool)
    // A POST gets a new connection: the server may be closing a kept-alive one, and the outcome would be unknown.
    this.#closes = createDispatcher(origin, connectMs, { ...pool, pipelining: 0 })
  }

  /** The headers of requests with an API key. */
  headers(apiKey: string): Record<string, string> {
    return {
      authorization: apiKey,
      accept: 'application/json',
      'accept-encoding': ACCEPT_ENCODING,
      // No cache in between may answer with a reply that it has; the second is for caches of HTTP/1.0 (RFC 9111).
      'cache-control': 'no-cache',
      pragma: 'no-cache',
      'user-agent': `quotekeeper/${this.#options.version}`,
    }
  }

  /** Milliseconds on the monotonic clock. */
  elapsed(): number {
    return this.#options.timing.elapsed()
  }

  /**
   * Waits for a slot with several starts, so that the requests in it need not wait again.
   * @throws as `send` before it sends
   */
  async acquire(fairnessKey: object, cancelToken: CancelToken, starts: number): Promise<Slot> {
    const limiter = this.#rateLimiter
    await limiter.acquire(fairnessKey, cancelToken, starts)
    const { pauses } = limiter
    return {
      wasPaused: () => limiter.pauses !== pauses,
      syncPauses: () => limiter.syncPauses(),
      release: () => limiter.release(),
    }
  }

  /**
   * Sends one request once the rate limiter admits it.
   * @throws PausedError during a pause too long to wait for; LedgerError; errors of `beforeSend` and `sendHttpRequest`;
   *   UnavailableError for a reply that a cache made earlier, which shows neither what the marketplace has now nor what a close did
   */
  async send(request: TransportRequest): Promise<TransportReply> {
    const { timing, now } = this.#options
    const { target, fairnessKey, cancelToken, slot } = request
    const requested = timing.elapsed()
    if (!slot) await this.#rateLimiter.acquire(fairnessKey, cancelToken)
    const started = timing.elapsed()
    try {
      request.beforeSend()
      const times = { requested, started, sentAt: now() }
      let reply: HttpReply
      try {
        reply = await sendHttpRequest(this.#dispatcher(target), this.#httpRequest(request))
      } catch (error) {
        if (!(error instanceof NotSentError)) this.#report(request, times, { code: 'error', serverDate: null })
        throw error
      }
      const { status, headers } = reply
      const date = typeof headers.date === 'string' ? parseHttpDate(headers.date) : null
      const age = this.#ageSeconds(reply, date, times)
      // The `Date` of an old reply is not the time of now.
      const serverDate = age === 0 ? date : null
      this.#report(request, times, { code: status, serverDate })
      this.#pauseIfAsked(reply, serverDate)
      if (age !== 0) throw oldReplyError(target, status, age)
      return { ...reply, sentAt: times.sentAt, serverDate }
    } finally {
      if (!slot) this.#rateLimiter.release()
    }
  }

  /** The error of a pause too long to wait for; null if there is none. */
  longPause(): PausedError | null {
    return this.#rateLimiter.longPause()
  }

  /** Closes all connections; requests in flight or waiting end with an AbortedError. */
  async close(): Promise<void> {
    this.cancelToken.cancel(new AbortedError('The marketplace client was closed'))
    await Promise.all([this.#reads.destroy(), this.#closes.destroy()])
    await this.#rateLimiter.close()
  }

  /** @param times when the request was made and started, on the monotonic clock, and when it was sent */
  #report(
    { target, retry }: TransportRequest,
    { requested, started, sentAt }: { requested: number; started: number; sentAt: Date },
    { code, serverDate }: { code: number | 'error'; serverDate: Date | null },
  ): void {
    const { observer, timing, now } = this.#options
    observer({
      operation: target.operation,
      retry: retry > 0,
      waitedSeconds: (started - requested) / 1000,
      code,
      seconds: (timing.elapsed() - started) / 1000,
      clockSkewSeconds: clockSkewSeconds({ serverDate, readAt: sentAt, answeredAt: now() }),
    })
  }

  #dispatcher({ method }: Target): Dispatcher {
    return method === 'POST' ? this.#closes : this.#reads
  }

  #httpRequest({ target, headers, cancelToken, refuseStart }: TransportRequest): HttpRequest {
    const { limits } = this.#options
    const maxBytes = Math.min(limits.maxBodyMiB * 2 ** 20, constants.MAX_STRING_LENGTH)
    const { method, path, label } = target
    return {
      origin: this.origin,
      method,
      path,
      label,
      headers,
      timeoutMs: limits.timeoutMs,
      maxBytes,
      cancelToken,
      refuseStart,
    }
  }

  /**
   * The age of a reply from a cache, 0 if it was made for this request. NaN if its `Age` cannot be read (RFC 9111 §5.1). A cache
   * without `Age` is told by a `Date` that falls behind, by both clocks, because either may be set or stand still.
   */
  #ageSeconds({ headers }: HttpReply, serverDate: Date | null, sent: { sentAt: Date; started: number }): number {
    const age = Number(headers.age ?? 0)
    if (age !== 0 || serverDate === null) return age
    const date = serverDate.getTime()
    const earlier = this.#compared
    const passed = Math.min(sent.sentAt.getTime() - earlier.at, sent.started - earlier.elapsed)
    const behind = sent.started - earlier.elapsed > COMPARED_MS ? 0 : (passed - (date - earlier.date)) / 1000
    if (behind > OLD_REPLY_SECONDS.over && behind <= OLD_REPLY_SECONDS.upTo) return Math.round(behind)
    if (behind <= 0) this.#compared = { date, at: this.#options.now().getTime(), elapsed: this.elapsed() }
    return 0
  }

  /** A 429 or 503 with Retry-After pauses all requests (docs/MARKETPLACE.md, Pauses). */
  #pauseIfAsked({ status, headers }: HttpReply, serverDate: Date | null): void {
    if (status !== 429 && status !== 503) return
    const header = headers['retry-after']
    const from = serverDate ?? this.#options.now()
    const wait = parseRetryAfter(typeof header === 'string' ? header : undefined, from)
    if (wait !== null && wait > 0) this.#rateLimiter.pause(wait)
  }
}

/** The error for a reply that was not made for this request. It is not retried, because a cache keeps a reply for longer than a retry waits. */
function oldReplyError({ label }: Target, status: number, age: number): UnavailableError {
  const made = age > 0 ? `${age} s ago` : 'at an unknown time'
  return new UnavailableError(
    `${label()}: status ${status}, but a cache answered with a reply made ${made}, although the request asks for none ` +
      '(Cache-Control: no-cache). Let requests to the marketplace bypass that cache',
    { status },
  )
}
