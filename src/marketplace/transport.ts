import { constants } from 'node:buffer'
import type { Dispatcher } from 'undici'
import type { RequestLedger } from '../core/requests/request-ledger.js'
import type { Clock } from '../core/time/clock.js'
import { clockSkewSeconds } from '../core/time/clock-skew.js'
import type { Operation, RequestLimits, RequestObserver } from './contract.js'
import { createDispatcher } from './dispatcher.js'
import { AbortedError, NotSentError, UnavailableError } from './errors.js'
import { parseHttpDate, parseRetryAfter } from './http-date.js'
import { ACCEPT_ENCODING, type HttpReply, type HttpRequest, sendHttpRequest } from './http-exchange.js'
import { RateLimiter } from './rate-limiter.js'
import type { Backoff } from './retry.js'
import { SYSTEM_TIMING, type Timing } from './timing.js'

export interface MarketplaceOptions {
  /** Origin, with an optional path. */
  baseUrl: string
  limits: RequestLimits
  /** Quotekeeper's version, for the User-Agent. */
  version: string
  /** Shares the limits with other processes (docs/ARCHITECTURE.md); without it, they apply to this client only. */
  ledger?: RequestLedger | undefined
  /** Called after each HTTP request, for metrics. */
  observer?: RequestObserver | undefined
  now?: Clock
  /** Waits before retries; tests make them short. */
  backoff?: Backoff
  /** Clock and timers; tests replace them. */
  timing?: Timing
}

/** An operation on a resource. */
export interface Target extends Pick<HttpRequest, 'method' | 'path' | 'label'> {
  operation: Operation
  scope: 'list' | 'item'
}

/** A request for which the rate limiter has admitted a start. */
export interface AdmittedRequest extends Pick<HttpRequest, 'signal' | 'refuseStart'> {
  target: Target
  apiKey: string
  /** Attempts of the same read before this one. */
  retry: number
  /** How long it waited for the request limits. */
  waitedSeconds: number
}

export interface TransportReply extends HttpReply {
  /** Just before the request was sent. */
  sentAt: Date
  /** The `Date` header, null if absent or invalid. */
  serverDate: Date | null
}

const CONNECT_TIMEOUT_MS = 10_000

/** Sends requests to one marketplace. Shared by all sessions: connections, limits, pauses. */
export class Transport {
  readonly origin: string
  /** The path of the base URL, without a trailing slash. */
  readonly prefix: string
  readonly limiter: RateLimiter
  readonly #options: MarketplaceOptions & { observer: RequestObserver; now: Clock; timing: Timing }
  readonly #reads: Dispatcher
  readonly #closes: Dispatcher

  constructor(given: MarketplaceOptions) {
    const { observer = () => undefined, now = () => new Date(), timing = SYSTEM_TIMING } = given
    const options = { ...given, observer, now, timing }
    const { origin, pathname } = new URL(options.baseUrl)
    const { concurrency, timeoutMs } = options.limits
    this.#options = options
    this.origin = origin
    this.prefix = pathname.replace(/\/+$/, '')
    this.limiter = new RateLimiter({ ...options, ...options.limits })
    const connectMs = Math.min(CONNECT_TIMEOUT_MS, timeoutMs)
    // http-exchange.ts enforces one deadline per request in place of undici's timeouts.
    const pool = { connections: concurrency, headersTimeout: 0, bodyTimeout: 0 }
    this.#reads = createDispatcher(origin, connectMs, pool)
    // A POST gets a new connection: the server may be closing a kept-alive one, and the outcome would be unknown.
    this.#closes = createDispatcher(origin, connectMs, { ...pool, pipelining: 0 })
  }

  /** Milliseconds on the monotonic clock. */
  elapsed(): number {
    return this.#options.timing.elapsed()
  }

  /**
   * Sends one request.
   * @throws errors of `sendHttpRequest`; UnavailableError for a reply that a cache made earlier, which shows neither what the marketplace
   *   has now nor what a close did
   */
  async send({ target, apiKey, retry, waitedSeconds, signal, refuseStart }: AdmittedRequest): Promise<TransportReply> {
    const { now, observer, limits, version } = this.#options
    const { operation, method, path, label } = target
    const started = this.elapsed()
    const sentAt = now()
    const report = (code: number | 'error', serverDate: Date | null) => {
      const seconds = (this.elapsed() - started) / 1000
      const skew = clockSkewSeconds({ serverDate, readAt: sentAt, answeredAt: now() })
      observer({ operation, code, seconds, retry: retry > 0, waitedSeconds, clockSkewSeconds: skew })
    }
    const headers = {
      authorization: apiKey,
      accept: 'application/json',
      'accept-encoding': ACCEPT_ENCODING,
      // No cache in between may answer with a reply that it has; the second is for caches of HTTP/1.0 (RFC 9111).
      'cache-control': 'no-cache',
      pragma: 'no-cache',
      'user-agent': `quotekeeper/${version}`,
    }
    const reply = await sendHttpRequest(method === 'POST' ? this.#closes : this.#reads, {
      ...{ origin: this.origin, method, path, label, headers, signal, refuseStart, timeoutMs: limits.timeoutMs },
      maxBytes: Math.min(limits.maxBodyMiB * 2 ** 20, constants.MAX_STRING_LENGTH),
    }).catch((error: unknown) => {
      if (!(error instanceof NotSentError)) report('error', null)
      throw error
    })
    const date = typeof reply.headers.date === 'string' ? parseHttpDate(reply.headers.date) : null
    // Of a reply that a cache kept, whose `Date` is not the time of now; NaN if it cannot be read (RFC 9111 §5.1).
    const age = Number(reply.headers.age ?? 0)
    const serverDate = age === 0 ? date : null
    report(reply.status, serverDate)
    this.#pauseIfAsked(reply, serverDate)
    if (age !== 0) throw oldReplyError(target, reply.status, age)
    return { ...reply, sentAt, serverDate }
  }

  /** Closes all connections; requests in flight or waiting end with an AbortedError. */
  async close(): Promise<void> {
    const limiter = this.limiter.close(new AbortedError('The marketplace client was closed'))
    await Promise.all([limiter, this.#reads.destroy(), this.#closes.destroy()])
  }

  /** A 429 or 503 with Retry-After pauses all requests (docs/MARKETPLACE.md, Pauses). */
  #pauseIfAsked({ status, headers }: HttpReply, serverDate: Date | null): void {
    if (status !== 429 && status !== 503) return
    const header = headers['retry-after']
    const from = serverDate ?? this.#options.now()
    const wait = parseRetryAfter(typeof header === 'string' ? header : undefined, from)
    if (wait !== null && wait > 0) this.limiter.pause(wait)
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
