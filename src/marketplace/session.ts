import { hash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { ChannelRef } from '../core/channel.js'
import type { SubjectKind } from '../core/documents/documents.js'
import { comparableId, isAddressable } from '../core/documents/identifier.js'
import type { Problem } from '../core/documents/lenient-parser.js'
import {
  type DocumentParser,
  type Listing,
  type Observation,
  observe,
  parseListing,
  parseResponse,
  parseRfq,
  parseRfqListItem,
  type Rfq,
  type RfqListItem,
  type RfqResponse,
} from '../core/documents/observation.js'
import type { ChannelSession, CloseSlot, ItemReadOptions, ListResult, Operation, ReadResult } from './contract.js'
import { ChannelError, ItemError, NotSentError, TransientError } from './errors.js'
import { parseList, parseObject, type ReceivedText, readBody, UnusableBodyError } from './json-body.js'
import type { Slot } from './rate-limiter.js'
import { closeResultOf, errorForStatus } from './replies.js'
import { type Backoff, RetryQuota, withRetries } from './retry.js'
import { createKeySearch, createSanitizer, type Sanitize } from './sanitizer.js'
import type { AdmittedRequest, Target, Transport, TransportReply } from './transport.js'

interface SessionOptions {
  transport: Transport
  /** Quotekeeper's version. */
  version: string
  channel: ChannelRef & { readonly apiKey: string }
  retries: number
  backoff: Backoff
  signal: AbortSignal
}

/** A read, and the close that may follow it. */
const STARTS_OF_CLOSE = 2

type SendOptions = Pick<AdmittedRequest, 'retry' | 'waitedSeconds' | 'refuseStart'>
type Parse<T> = (received: ReceivedText) => T | Promise<T>

/** The requests of one run on one channel, with its own key, retry quota and count; the transport is shared. */
export class Session implements ChannelSession {
  readonly channel: ChannelRef
  readonly signal: AbortSignal
  readonly #options: SessionOptions
  readonly #quota = new RetryQuota()
  readonly #sanitize: Sanitize
  readonly #hasKey: (bytes: Buffer) => boolean
  /** The percent-encoded path of the channel. */
  readonly #base: string
  #requests = 0
  #suspended: Error | null = null

  /** @throws ChannelError for a key that cannot be sent in a header, or names that cannot be part of a URL */
  constructor(options: SessionOptions) {
    const { transport, channel, signal } = options
    checkKey(channel)
    this.channel = { org: channel.org, channel: channel.channel }
    this.#options = options
    this.#sanitize = createSanitizer(channel.apiKey)
    this.#hasKey = createKeySearch(channel.apiKey)
    this.#base = basePath(transport.prefix, channel, this.#sanitize)
    this.signal = signal
    // All its requests listen, and the sessions of all channels may share one signal.
    setMaxListeners(0, signal)
  }

  get requests(): number {
    return this.#requests
  }

  listListings(): Promise<ListResult<Listing>> {
    return this.#list('listListings', 'listing', parseListing)
  }

  listRfqs(): Promise<ListResult<RfqListItem>> {
    return this.#list('listRfqs', 'rfq', parseRfqListItem)
  }

  readRfq(id: string, options?: ItemReadOptions): Promise<ReadResult<Observation<Rfq>>> {
    return this.#item('readRfq', 'rfq', ['rfqs', id], parseRfq, options)
  }

  readResponse(rfqId: string, id: string, options?: ItemReadOptions): Promise<ReadResult<Observation<RfqResponse>>> {
    return this.#item('readResponse', 'response', ['rfqs', rfqId, 'responses', id], parseResponse, options)
  }

  async readForClose(id: string): Promise<CloseSlot> {
    const [target, closing] = [this.#target('readRfq', ['rfqs', id]), this.#target('closeRfq', ['rfqs', id, 'close'])]
    const { transport } = this.#options
    return this.#retried(async (retry) => {
      const { slot, since, waitedSeconds } = await this.#acquire(target, STARTS_OF_CLOSE)
      try {
        const reply = await this.#send(target, { retry, waitedSeconds })
        return {
          read: await this.#read(reply, target, this.#parserOf('rfq', id, parseRfq)),
          readAge: () => transport.elapsed() - since,
          wasPaused: () => slot.wasPaused(),
          close: async (refuseStart) => {
            await transport.limiter.syncPauses()
            return closeResultOf(await this.#send(closing, { retry: 0, waitedSeconds: 0, refuseStart }), this.#sanitize)
          },
          release: () => slot.release(),
        }
      } catch (error) {
        slot.release()
        throw error
      }
    })
  }

  async #list<T>(operation: Operation, kind: 'listing' | 'rfq', parse: DocumentParser<T>): Promise<ListResult<T>> {
    const read = await this.#retriedRead(this.#target(operation, [`${kind}s`]), (received) =>
      parseList(received, (text) => this.#observe(received, kind, parse, { text, body: JSON.parse(text) })),
    )
    return { ...read, ...read.value }
  }

  /** @param segments of the path, the last one of which is the id */
  async #item<T>(
    operation: Operation,
    kind: SubjectKind,
    segments: string[],
    parse: DocumentParser<T>,
    { knownHash, retries }: ItemReadOptions = {},
  ): Promise<ReadResult<Observation<T>>> {
    const parser = this.#parserOf(kind, segments.at(-1) as string, parse, knownHash)
    return this.#retriedRead(this.#target(operation, segments), parser, retries)
  }

  #parserOf<T>(
    kind: SubjectKind,
    id: string,
    parse: DocumentParser<T>,
    knownHash?: string | null,
  ): Parse<Observation<T>> {
    return (received) => {
      const { text } = received
      const textHash = this.#textHash(text)
      if (textHash === knownHash)
        return { id, text, textHash, hash: '', same: true, document: null, problems: [], valid: true }
      const body = parseObject(text)
      requireMatchingId(body, id, this.#sanitize)
      // A document without an id is stored under the requested id.
      return { ...this.#observe(received, kind, parse, { text, body }), id }
    }
  }

  #observe<T>(
    { isDamaged }: ReceivedText,
    kind: SubjectKind,
    parse: DocumentParser<T>,
    { text, body }: { text: string; body: unknown },
  ): Observation<T> {
    const observation = observe({ text, textHash: this.#textHash(text), body }, kind, parse)
    if (isDamaged && text.includes('\ufffd')) observation.problems.push(INVALID_UTF8)
    return observation
  }

  /** Another version of Quotekeeper may find other problems in the same text. */
  #textHash(text: string): string {
    return hash('sha256', `${this.#options.version} ${text}`)
  }

  #target(operation: Operation, segments: string[]): Target {
    const path = encodePath(this.#base, segments)
    const method = operation === 'closeRfq' ? 'POST' : 'GET'
    const url = () => this.#options.transport.origin + (path ?? [this.#base, ...segments].join('/'))
    const label = () => `${method} ${this.#sanitize(url())}`
    if (path === null) throw new ItemError(`${label()}: this identifier cannot be part of a URL; nothing was sent`)
    return { operation, method, path, label, scope: segments.length === 1 ? 'list' : 'item' }
  }

  #retried<T>(attempt: (retry: number) => Promise<T>, retries = this.#options.retries): Promise<T> {
    return withRetries(attempt, { ...this.#options, retries, quota: this.#quota })
  }

  #retriedRead<T>(target: Target, parse: Parse<T>, retries?: number): Promise<ReadResult<T>> {
    return this.#retried(async (retry) => {
      const { slot, waitedSeconds } = await this.#acquire(target)
      const reply = await this.#send(target, { retry, waitedSeconds }).finally(() => slot.release())
      return this.#read(reply, target, parse)
    }, retries)
  }

  /** Waits for a slot; its requests may be sent at once. */
  async #acquire(target: Target, starts = 1): Promise<{ slot: Slot; since: number; waitedSeconds: number }> {
    const { transport } = this.#options
    this.#assertMayRead(target)
    const asked = transport.elapsed()
    const slot = await transport.limiter.acquire(this, starts)
    const since = transport.elapsed()
    try {
      this.#assertMayRead(target)
    } catch (error) {
      slot.release()
      throw error
    }
    return { slot, since, waitedSeconds: (since - asked) / 1000 }
  }

  #assertMayRead({ label }: Target): void {
    if (this.#suspended) throw this.#suspended
    if (this.#quota.exhausted)
      throw new NotSentError(`${label()}: not sent, because too many requests of this run failed`)
  }

  /** Sends a request in a slot. After a rejected read the session sends no other; after a rejected close it reads, to verify the outcome. */
  async #send(target: Target, options: SendOptions): Promise<TransportReply> {
    const { transport, channel, signal } = this.#options
    if (this.#suspended) throw this.#suspended
    this.#requests++
    try {
      const reply = await transport.send({ target, apiKey: channel.apiKey, signal, ...options })
      const { status } = reply
      if ((status === 401 || status === 403) && target.method === 'GET')
        this.#suspended ??= errorForStatus(reply, target, this.#sanitize)
      return reply
    } catch (error) {
      if (error instanceof NotSentError) this.#requests--
      throw error
    }
  }

  async #read<T>(reply: TransportReply, target: Target, parse: Parse<T>): Promise<ReadResult<T>> {
    const { status, sentAt: readAt, serverDate } = reply
    if (status !== 200) {
      const error = errorForStatus(reply, target, this.#sanitize)
      throw (error instanceof TransientError && this.#options.transport.limiter.longPause()) || error
    }
    const options = { label: target.label, sanitize: this.#sanitize, hasKey: this.#hasKey }
    return { value: await readBody(reply, options, parse), readAt, serverDate }
  }
}

const INVALID_UTF8: Problem = {
  path: '',
  code: 'encoding',
  message: 'the text is not valid UTF-8; the invalid bytes are stored as U+FFFD',
}

/**
 * Checks that a document has the requested id, or none.
 * @throws UnusableBodyError for another id: the document must not be stored under the requested one
 */
function requireMatchingId({ id: found }: { id?: unknown }, id: string, sanitize: Sanitize): void {
  if (found === undefined || found === null || found === '') return
  if (typeof found === 'string' && comparableId(found) === comparableId(id)) return
  const shown = typeof found === 'string' ? sanitize(found) : `of type ${typeof found}`
  throw new UnusableBodyError(`the body is another document (id ${shown})`)
}

/** Accepts printable ASCII only: an HTTP library might quote another key in its error message. */
function checkKey({ org, channel, apiKey }: SessionOptions['channel']): void {
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(apiKey)) return
  const name = createSanitizer('')(`${org}/${channel}`)
  throw new ChannelError(
    `The API key of ${name} is empty or has characters other than printable ASCII, such as a line break. Set it again`,
  )
}

function basePath(prefix: string, { org, channel }: ChannelRef, sanitize: Sanitize): string {
  const path = encodePath(prefix, ['v1', 'orgs', org, 'channels', channel])
  if (path !== null) return path
  throw new ChannelError(
    `The channel "${sanitize(`${org}/${channel}`)}" cannot be part of a URL: correct org and channel`,
  )
}

/** Joins and percent-encodes a path; null if a segment cannot be part of a URL. */
function encodePath(base: string, segments: readonly string[]): string | null {
  if (!segments.every(isAddressable)) return null
  return [base, ...segments.map(encodeURIComponent)].join('/')
}
