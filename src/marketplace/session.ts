import { constants } from 'node:buffer'
import { hash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Dispatcher } from 'undici'
import type { ChannelRef } from '../core/channel.js'
import type { SentKind } from '../core/documents/documents.js'
import { isAddressable } from '../core/documents/identifier.js'
import {
  type Listing,
  type Observation,
  observe,
  type Rfq,
  type RfqListItem,
  type RfqResponse,
  type SentDocument,
  sameText,
} from '../core/documents/observation.js'
import { clockSkewSeconds } from '../core/time/clock-skew.js'
import type {
  ChannelSession,
  CloseSlot,
  ItemReadOptions,
  ListResult,
  MarketplaceOptions,
  Operation,
  ReadResult,
  RequestObserver,
} from './contract.js'
import { ItemError, NotSentError, TransientError, UnavailableError } from './errors.js'
import { parseHttpDate, parseRetryAfter } from './http-date.js'
import { ACCEPT_ENCODING, type HttpRequest, sendHttpRequest } from './http-exchange.js'
import type { RateLimiter, Slot } from './rate-limiter.js'
import {
  closeResultOf,
  errorForStatus,
  parseList,
  parseObject,
  readBody,
  requireMatchingId,
  type TextReply,
  textOf,
} from './replies.js'
import { Retries } from './retry.js'
import { createKeySearch, createSanitizer, type Sanitize } from './sanitizer.js'

/** What the sessions of a client share. */
interface Client extends Required<Omit<MarketplaceOptions, 'baseUrl' | 'ledger' | 'observer'>> {
  origin: string
  /** The path of the base URL, without a trailing slash. */
  prefix: string
  limiter: RateLimiter
  reads: Dispatcher
  closes: Dispatcher
  observer: RequestObserver
}

/** An operation on a resource. */
interface Target extends Pick<HttpRequest, 'method' | 'path' | 'label'> {
  operation: Operation
}

interface SendOptions extends Pick<HttpRequest, 'refuseStart'> {
  /** Attempts of the same read before this one. */
  retry: number
  /** How long the request waited for the request limits. */
  waitedSeconds: number
}

interface Reply extends TextReply {
  /** Just before the request was sent. */
  sentAt: Date
  /** The `Date` header, null if absent or invalid. */
  serverDate: Date | null
}

type Parse<T> = (reply: TextReply) => T | Promise<T>

/** A read, and the close that may follow it. */
const STARTS_OF_CLOSE = 2

/** The requests of one run on one channel, with its own key, retry quota and count. */
export class Session implements ChannelSession {
  readonly channel: ChannelRef
  readonly signal: AbortSignal
  readonly #client: Client
  readonly #apiKey: string
  readonly #retries: Retries
  readonly #sanitize: Sanitize
  readonly #hasKey: (text: string) => boolean
  /** The percent-encoded path of the channel. */
  readonly #base: string
  #requests = 0
  #waiting = 0
  #onTurn: (() => void)[] = []
  #suspended: Error | null = null

  /** @param channel its names can be part of a URL, and its key is printable ASCII (src/config) */
  constructor(client: Client, { org, channel, apiKey }: ChannelRef & { readonly apiKey: string }, signal: AbortSignal) {
    this.channel = { org, channel }
    this.signal = signal
    this.#client = client
    this.#retries = new Retries({ backoff: client.backoff, signal })
    this.#apiKey = apiKey
    this.#sanitize = createSanitizer(apiKey)
    this.#hasKey = createKeySearch(apiKey)
    this.#base = encodePath(client.prefix, ['v1', 'orgs', org, 'channels', channel])
    // All its requests listen, and the sessions of all channels may share one signal.
    setMaxListeners(0, signal)
  }

  get requests(): number {
    return this.#requests
  }

  get waiting(): number {
    return this.#waiting
  }

  nextTurn(): Promise<void> {
    return new Promise((resolve) => this.#onTurn.push(resolve))
  }

  listListings(): Promise<ListResult<Listing>> {
    return this.#list('listListings', 'listing', 'listings')
  }

  listRfqs(): Promise<ListResult<RfqListItem>> {
    return this.#list('listRfqs', 'rfq-entry', 'rfqs')
  }

  readRfq(id: string, options?: ItemReadOptions): Promise<ReadResult<Observation<Rfq>>> {
    return this.#item('readRfq', 'rfq', ['rfqs', id], options)
  }

  readResponse(rfqId: string, id: string, options?: ItemReadOptions): Promise<ReadResult<Observation<RfqResponse>>> {
    return this.#item('readResponse', 'response', ['rfqs', rfqId, 'responses', id], options)
  }

  async readForClose(id: string): Promise<CloseSlot> {
    const [target, closing] = [this.#target('readRfq', ['rfqs', id]), this.#target('closeRfq', ['rfqs', id, 'close'])]
    const { limits, limiter, timing } = this.#client
    const attempt = (retry: number) => this.#readInSlot(target, this.#parserOf('rfq', id), retry, STARTS_OF_CLOSE)
    const { read, slot, since } = await this.#retries.run(attempt, limits.retries)
    return {
      read,
      readAge: () => timing.elapsed() - since,
      wasPaused: () => slot.wasPaused(),
      close: async (refuseStart) => {
        await limiter.syncPauses()
        return closeResultOf(await this.#send(closing, { retry: 0, waitedSeconds: 0, refuseStart }), this.#sanitize)
      },
      release: () => slot.release(),
    }
  }

  async #list<K extends SentKind>(
    operation: Operation,
    kind: K,
    segment: string,
  ): Promise<ListResult<SentDocument<K>>> {
    // Copies, as docs/BENCHMARKS.md explains: entries stay, and other documents pass.
    const read = await this.#retriedRead(this.#target(operation, [segment]), (reply) =>
      parseList(reply, (text) => ({ ...observe(kind, text) })),
    )
    return { ...read, ...read.value }
  }

  /** @param segments of the path, the last one of which is the id */
  async #item<K extends SentKind>(
    operation: Operation,
    kind: K,
    segments: string[],
    { knownHash, retries }: ItemReadOptions = {},
  ): Promise<ReadResult<Observation<SentDocument<K>>>> {
    const parser = this.#parserOf(kind, segments.at(-1) as string, knownHash)
    return this.#retriedRead(this.#target(operation, segments), parser, retries)
  }

  #parserOf<K extends SentKind>(kind: K, id: string, knownHash?: string | null): Parse<Observation<SentDocument<K>>> {
    return ({ text }) => {
      if (knownHash && hash('sha256', text) === knownHash) return sameText(id, 'full', text, knownHash)
      const body = parseObject(text)
      requireMatchingId(body, id, this.#sanitize)
      // A document without an id is stored under the requested id.
      return { ...observe(kind, text, body), id }
    }
  }

  #target(operation: Operation, segments: string[]): Target {
    if (!segments.every(isAddressable)) {
      const name = this.#sanitize(segments.join('/'))
      throw new ItemError(`${name}: this identifier cannot be part of a URL; nothing was sent`)
    }
    const path = encodePath(this.#base, segments)
    const method = operation === 'closeRfq' ? 'POST' : 'GET'
    // Of a document, what its channel and RFQ do not say.
    const shown = segments.length > 1 ? `…${path.slice(this.#base.length)}` : this.#client.origin + path
    return { operation, method, path, label: () => `${method} ${this.#sanitize(shown)}` }
  }

  #retriedRead<T>(target: Target, parse: Parse<T>, retries = this.#client.limits.retries): Promise<ReadResult<T>> {
    return this.#retries.run(async (retry) => {
      const { read, slot } = await this.#readInSlot(target, parse, retry)
      slot.release()
      return read
    }, retries)
  }

  /**
   * Reads a document or list in a slot, which the caller releases.
   * @param starts admitted for the slot
   * @returns `since`: when the slot was acquired, on the monotonic clock
   */
  async #readInSlot<T>(
    target: Target,
    parse: Parse<T>,
    retry: number,
    starts = 1,
  ): Promise<{ read: ReadResult<T>; slot: Slot; since: number }> {
    const { limiter, timing } = this.#client
    this.#assertMaySend(target, retry)
    const asked = timing.elapsed()
    this.#waiting++
    const slot = await limiter.acquire(this, starts).finally(() => {
      this.#waiting--
      for (const resolve of this.#onTurn.splice(0)) resolve()
    })
    const since = timing.elapsed()
    try {
      const reply = await this.#send(target, { retry, waitedSeconds: (since - asked) / 1000 })
      const { status, sentAt: readAt, serverDate } = reply
      if (status !== 200) {
        const error = errorForStatus(reply, target, this.#sanitize)
        throw (error instanceof TransientError && limiter.longPause()) || error
      }
      if (this.#hasKey(reply.text)) throw new UnavailableError(`${target.label()}: status 200, ${HAS_KEY}`, { status })
      const value = await readBody(reply, { label: target.label, sanitize: this.#sanitize }, parse)
      return { read: { value, readAt, serverDate }, slot, since }
    } catch (error) {
      slot.release()
      throw error
    }
  }

  /** A retry is sent, because its tokens are spent already, and its failure says more. */
  #assertMaySend({ label, method }: Target, retry: number): void {
    if (this.#suspended) throw this.#suspended
    if (method === 'GET' && retry === 0 && this.#retries.exhausted)
      throw new NotSentError(`${label()}: not sent, because too many requests of this run failed`)
  }

  /**
   * Sends a request in a slot. After a rejected read the session sends no other; after a rejected close it reads, to verify the outcome.
   * @throws errors of `sendHttpRequest`; UnavailableError for a reply that a cache made earlier, which shows neither what the marketplace
   *   has now nor what a close did
   */
  async #send(target: Target, { retry, waitedSeconds, refuseStart }: SendOptions): Promise<Reply> {
    const { origin, limits, limiter, reads, closes, observer, now, timing } = this.#client
    this.#assertMaySend(target, retry)
    this.#requests++
    const { operation, method, path, label } = target
    const started = timing.elapsed()
    const sentAt = now()
    const report = (code: number | 'error', serverDate: Date | null) => {
      const seconds = (timing.elapsed() - started) / 1000
      const skew = clockSkewSeconds({ serverDate, readAt: sentAt, answeredAt: now() })
      observer({ operation, code, seconds, retry: retry > 0, waitedSeconds, clockSkewSeconds: skew })
    }
    const reply = await sendHttpRequest(method === 'POST' ? closes : reads, {
      headers: this.#headers(),
      ...{ origin, method, path, label, signal: this.signal, refuseStart },
      timeoutMs: limits.timeoutMs,
      maxBytes: Math.min(limits.maxBodyMiB * 2 ** 20, constants.MAX_STRING_LENGTH),
      sizeSetting: 'requests.maxBodyMiB',
    }).then(textOf, (error: unknown) => {
      if (error instanceof NotSentError) this.#requests--
      else report('error', null)
      throw error
    })
    const { status, headers } = reply
    // Of a reply that a cache kept, whose `Date` is not the time of now; NaN if it cannot be read (RFC 9111 §5.1).
    const age = Number(headers.age ?? 0)
    const serverDate = age === 0 && typeof headers.date === 'string' ? parseHttpDate(headers.date) : null
    report(status, serverDate)
    // A 429 or 503 with Retry-After pauses all requests (docs/MARKETPLACE.md, Pauses).
    if (status === 429 || status === 503) limiter.pause(parseRetryAfter(headers, now()) ?? 0)
    // It is not retried, because a cache keeps a reply for longer than a retry waits.
    if (age !== 0) throw new UnavailableError(`${label()}: status ${status}, ${FROM_CACHE}`, { status })
    if ((status === 401 || status === 403) && method === 'GET')
      this.#suspended ??= errorForStatus(reply, target, this.#sanitize)
    return { sentAt, serverDate, ...reply }
  }

  #headers(): Record<string, string> {
    return {
      authorization: this.#apiKey,
      accept: 'application/json',
      'accept-encoding': ACCEPT_ENCODING,
      // No cache in between may answer with a reply that it has; the second is for caches of HTTP/1.0 (RFC 9111).
      'cache-control': 'no-cache',
      pragma: 'no-cache',
      'user-agent': `quotekeeper/${this.#client.version}`,
    }
  }
}

/** It must not be stored. */
const HAS_KEY = 'but the body contains the API key. Nothing of it was used'
const FROM_CACHE = 'but a cache answered with an earlier reply: let requests to the marketplace bypass it'

/** Joins and percent-encodes a path. */
const encodePath = (base: string, segments: readonly string[]): string =>
  [base, ...segments.map(encodeURIComponent)].join('/')
