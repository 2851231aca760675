import { constants } from 'node:buffer'
import { type Dispatcher, Pool } from 'undici'
import type { Clock } from '../domain/clock.js'
import { CancelToken } from './cancel-token.js'
import type { Operation, RequestLimits, RequestObserver } from './contract.js'
import { AbortedError, type PausedError } from './errors.js'
import { parseHttpDate } from './http-date.js'
import { ACCEPT_ENCODING, type HttpReply, type HttpRequest, sendHttpRequest } from './http-exchange.js'
import { RateLimiter } from './rate-limiter.js'
import { parseRetryAfter } from './retry-after.js'
import type { Timing } from './timing.js'

export interface TransportOptions {
  baseUrl: string
  limits: RequestLimits
  version: string
  observer: RequestObserver
  now: Clock
  timing: Timing
}

/** One operation on one resource. */
export interface Target {
  operation: Operation
  method: 'GET' | 'POST'
  scope: 'list' | 'item'
  /** Complete, encoded. */
  path: string
  /** How messages call the request; holds no secret. */
  label: () => string
}

/** How a session has a target asked. */
export interface TransportRequest {
  target: Target
  apiKey: string
  /** How many tries of the same read went before. */
  retry: number
  /** Whose turn it is; see Limiter. */
  fairnessKey: object
  stop: CancelToken
  /** Called when the request's turn has come; may throw to send nothing. */
  beforeSend: () => void
}

export interface TransportReply extends HttpReply {
  /** Just before the request was sent. */
  sentAt: Date
  /** The `Date` header, null if absent or unreadable. */
  serverDate: Date | null
}

const CONNECT_TIMEOUT_MS = 10_000

/** One marketplace as all sessions share it: connections, limits, pauses. */
export class Transport {
  readonly origin: string
  /** The path of the base URL, without a trailing slash. */
  readonly prefix: string
  /** Stops everything when the marketplace is closed. */
  readonly stop = new CancelToken()
  readonly #options: TransportOptions
  readonly #limiter: RateLimiter
  readonly #reads: Dispatcher
  readonly #closes: Dispatcher

  constructor(options: TransportOptions) {
    const { origin, pathname } = new URL(options.baseUrl)
    const { concurrency, perSecond, timeoutMs } = options.limits
    this.#options = options
    this.origin = origin
    this.prefix = pathname.replace(/\/+$/, '')
    this.#limiter = new RateLimiter({ concurrency, perSecond, timing: options.timing, now: options.now })
    const connect = { timeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs) }
    // The one deadline of exchange.ts takes the place of undici's time-outs.
    const pool = { connections: concurrency, connect, headersTimeout: 0, bodyTimeout: 0 }
    this.#reads = new Pool(origin, pool)
    // A POST gets a connection of its own: one kept alive may be closing just now, and then nobody knows what happened.
    this.#closes = new Pool(origin, { ...pool, pipelining: 0 })
  }

  /**
   * Sends one request when its turn has come.
   * @throws PausedError in a pause too long to wait for; what `beforeSend` and `exchange` throw
   */
  async send(request: TransportRequest): Promise<TransportReply> {
    await this.#limiter.acquire(request.fairnessKey, request.stop)
    try {
      request.beforeSend()
      const sentAt = this.#options.now()
      const reply = await this.#observed(request)
      const serverDate = this.#dateOf(reply)
      this.#heed(reply, serverDate ?? this.#options.now())
      return { sentAt, serverDate, ...reply }
    } finally {
      this.#limiter.end()
    }
  }

  /** The error of a pause that is too long to wait for, null where there is none. */
  longPause(): PausedError | null {
    return this.#limiter.longPause()
  }

  /** Ends all connections; requests under way and waiting end with an AbortedError. */
  async close(): Promise<void> {
    this.stop.cancel(new AbortedError('The marketplace client was closed'))
    await Promise.all([this.#reads.destroy(), this.#closes.destroy()])
  }

  async #observed(request: TransportRequest): Promise<HttpReply> {
    const { observer, timing } = this.#options
    const begun = timing.elapsed()
    const tell = (code: number | 'error') => {
      const seconds = (timing.elapsed() - begun) / 1000
      observer({ operation: request.target.operation, code, seconds, retry: request.retry > 0 })
    }
    const dispatcher = request.target.method === 'POST' ? this.#closes : this.#reads
    const reply = await sendHttpRequest(dispatcher, this.#wire(request)).catch((error: unknown) => {
      tell('error')
      throw error
    })
    tell(reply.status)
    return reply
  }

  #wire({ target, apiKey, stop }: TransportRequest): HttpRequest {
    const { limits, version } = this.#options
    const headers = {
      authorization: apiKey,
      accept: 'application/json',
      'accept-encoding': ACCEPT_ENCODING,
      'user-agent': `quotekeeper/${version}`,
    }
    const maxBytes = Math.min(limits.maxBodyMiB * 2 ** 20, constants.MAX_STRING_LENGTH)
    const { method, path, label } = target
    return { method, path, label, headers, timeoutMs: limits.timeoutMs, maxBytes, stop }
  }

  #dateOf({ headers }: HttpReply): Date | null {
    return typeof headers.date === 'string' ? parseHttpDate(headers.date, this.#options.now()) : null
  }

  /** 429 and 503 with Retry-After hold the whole host (reliability.md, fault 6). */
  #heed({ status, headers }: HttpReply, from: Date): void {
    if (status !== 429 && status !== 503) return
    const header = headers['retry-after']
    const wait = parseRetryAfter(typeof header === 'string' ? header : undefined, from)
    if (wait !== null && wait > 0) this.#limiter.pause(wait)
  }
}
