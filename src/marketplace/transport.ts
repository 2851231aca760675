import { constants } from 'node:buffer'
import { type Dispatcher, Pool } from 'undici'
import type { Clock } from '../domain/clock.js'
import { clockSkewSeconds } from '../domain/clock-skew.js'
import type { RequestLedger } from '../domain/request-ledger.js'
import type { Validators } from '../domain/validators.js'
import { CancelToken } from './cancel-token.js'
import type { Operation, RequestLimits, RequestObserver } from './contract.js'
import { AbortedError, type PausedError } from './errors.js'
import { parseHttpDate } from './http-date.js'
import { ACCEPT_ENCODING, type HttpReply, type HttpRequest, sendHttpRequest } from './http-exchange.js'
import { connectOptions } from './loopback-lookup.js'
import { RateLimiter } from './rate-limiter.js'
import { parseRetryAfter } from './retry-after.js'
import type { Timing } from './timing.js'
import { conditionalHeaders } from './validators.js'

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
  apiKey: string
  /** Replaces the API key in a body; resolves with the same buffer if there is none. */
  removeKey: (body: Buffer, label: () => string) => Promise<Buffer>
  /** Attempts of the same read before this one. */
  retry: number
  /** Makes the request conditional. */
  validators?: Validators | undefined
  /** See RateLimiter. */
  fairnessKey: object
  cancelToken: CancelToken
  /** Called just before sending; may throw to send nothing. */
  beforeSend: () => void
}

/** A reply whose body does not contain the API key. */
export interface TransportReply extends HttpReply {
  /** The body contained the API key, and it was replaced. */
  containedKey: boolean
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
  /** Cancelled when the client is closed. */
  readonly cancelToken = new CancelToken()
  readonly #options: TransportOptions
  readonly #rateLimiter: RateLimiter
  readonly #reads: Dispatcher
  readonly #closes: Dispatcher
  #lastDate: { text: string; date: Date | null } = { text: '', date: null }

  constructor(options: TransportOptions) {
    const { origin, pathname } = new URL(options.baseUrl)
    const { concurrency, perSecond, timeoutMs } = options.limits
    this.#options = options
    this.origin = origin
    this.prefix = pathname.replace(/\/+$/, '')
    const { ledger, timing, now } = options
    this.#rateLimiter = new RateLimiter({ concurrency, perSecond, ledger, timing, now })
    const connect = connectOptions(origin, Math.min(CONNECT_TIMEOUT_MS, timeoutMs))
    // http-exchange.ts enforces one deadline per request in place of undici's timeouts.
    const pool = { connections: concurrency, connect, headersTimeout: 0, bodyTimeout: 0 }
    this.#reads = new Pool(origin, pool)
    // A POST gets a new connection: the server may be closing a kept-alive one, and the outcome would be unknown.
    this.#closes = new Pool(origin, { ...pool, pipelining: 0 })
  }

  /**
   * Sends one request once the rate limiter admits it.
   * @throws PausedError during a pause too long to wait for; LedgerError; errors of `beforeSend` and `sendHttpRequest`
   */
  async send(request: TransportRequest): Promise<TransportReply> {
    const { timing, now } = this.#options
    const asked = timing.elapsed()
    await this.#rateLimiter.acquire(request.fairnessKey, request.cancelToken)
    const waitedSeconds = (timing.elapsed() - asked) / 1_000
    try {
      request.beforeSend()
      const sentAt = now()
      const { reply, serverDate } = await this.#sendAndReport(request, { sentAt, waitedSeconds })
      this.#pauseIfAsked(reply, serverDate ?? now())
      const body = await request.removeKey(reply.body, request.target.label)
      return { ...reply, sentAt, serverDate, body, containedKey: body !== reply.body }
    } finally {
      this.#rateLimiter.release()
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

  async #sendAndReport(request: TransportRequest, times: { sentAt: Date; waitedSeconds: number }) {
    const { observer, timing, now } = this.#options
    const started = timing.elapsed()
    const event = { operation: request.target.operation, retry: request.retry > 0, waitedSeconds: times.waitedSeconds }
    const report = (code: number | 'error', serverDate: Date | null) => {
      const seconds = (timing.elapsed() - started) / 1000
      const skew = clockSkewSeconds({ serverDate, readAt: times.sentAt, answeredAt: now() })
      observer({ ...event, code, seconds, clockSkewSeconds: skew })
    }
    const dispatcher = request.target.method === 'POST' ? this.#closes : this.#reads
    const reply = await sendHttpRequest(dispatcher, this.#httpRequest(request)).catch((error: unknown) => {
      report('error', null)
      throw error
    })
    const serverDate = this.#serverDate(reply)
    report(reply.status, serverDate)
    return { reply, serverDate }
  }

  #httpRequest({ target, apiKey, cancelToken, validators }: TransportRequest): HttpRequest {
    const { limits, version } = this.#options
    const headers = {
      authorization: apiKey,
      accept: 'application/json',
      'accept-encoding': ACCEPT_ENCODING,
      'user-agent': `quotekeeper/${version}`,
      ...conditionalHeaders(validators),
    }
    const maxBytes = Math.min(limits.maxBodyMiB * 2 ** 20, constants.MAX_STRING_LENGTH)
    const { method, path, label } = target
    return { method, path, label, headers, timeoutMs: limits.timeoutMs, maxBytes, cancelToken }
  }

  #serverDate({ headers }: HttpReply): Date | null {
    if (typeof headers.date !== 'string') return null
    // All replies of one second have the same.
    if (headers.date !== this.#lastDate.text) {
      this.#lastDate = { text: headers.date, date: parseHttpDate(headers.date, this.#options.now()) }
    }
    return this.#lastDate.date
  }

  /** A 429 or 503 with Retry-After pauses all requests (docs/MARKETPLACE.md, Pauses). */
  #pauseIfAsked({ status, headers }: HttpReply, from: Date): void {
    if (status !== 429 && status !== 503) return
    const header = headers['retry-after']
    const wait = parseRetryAfter(typeof header === 'string' ? header : undefined, from)
    if (wait !== null && wait > 0) this.#rateLimiter.pause(wait)
  }
}
