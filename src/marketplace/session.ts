import { hash } from 'node:crypto'
import type { ChannelRef } from '../core/channel.js'
import {
  type DocumentParser,
  type Listing,
  type Observation,
  parseListing,
  parseResponse,
  parseRfq,
  parseRfqListItem,
  type Rfq,
  type RfqListItem,
  type RfqResponse,
  StoredObservation,
} from '../core/documents/observation.js'
import { decodeText, type ParsedObject, parseAgain, readJsonList, readJsonObject } from './body/json-body.js'
import { createKeyRemover, flagRedactedKey } from './body/key-removal.js'
import { ListCollector, parseCloseReply, requireMatchingId } from './body/response-parsing.js'
import { createSanitizer, type Sanitize } from './body/sanitizer.js'
import type { ChannelSession, CloseSlot, ItemReadOptions, ListResult, Operation, ReadResult } from './contract.js'
import { ChannelError, ItemError, NotSentError } from './errors.js'
import { CancelToken } from './http/cancel-token.js'
import type { Timing } from './http/timing.js'
import type { Slot, Target, Transport, TransportReply, TransportRequest } from './http/transport.js'
import { encodePath } from './http/url-path.js'
import { type Backoff, RetryQuota, TransientError, withRetries } from './retry.js'
import { errorForStatus } from './status-errors.js'

export interface SessionOptions {
  transport: Transport
  /** Quotekeeper's version. */
  version: string
  channel: ChannelRef & { readonly apiKey: string }
  retries: number
  backoff: Backoff
  timing: Timing
  signal?: AbortSignal | undefined
}

type RequestOptions = Partial<Pick<TransportRequest, 'retry' | 'fairnessKey' | 'cancelToken' | 'slot' | 'refuseStart'>>
interface AttemptOptions extends RequestOptions, SlotOptions {
  cancelToken: CancelToken
}

/** A read, and the close that may follow it. */
const STARTS_OF_CLOSE = 2

/** Waits for the slot of one request. */
type AcquireSlot = (request: Pick<RequestOptions, 'fairnessKey' | 'cancelToken'>) => Promise<Slot>

interface SlotOptions {
  /** Acquires the slot for a read, which stays occupied after a successful read. Default: any slot. */
  acquire?: AcquireSlot | undefined
}

/** Parses a reply, synchronously if possible. */
type ParseReply<T> = (reply: TransportReply) => T | Promise<T>

/** The requests of one run on one channel, with its own key, retry quota and count; the transport is shared. */
export class Session implements ChannelSession {
  readonly channel: ChannelRef
  readonly cancelToken: CancelToken
  readonly #options: SessionOptions
  readonly #quota = new RetryQuota()
  readonly #sanitize: Sanitize
  readonly #removeKey: TransportRequest['removeKey']
  readonly #headers: TransportRequest['headers']
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
    this.#removeKey = createKeyRemover(channel.apiKey)
    this.#headers = transport.headers(channel.apiKey)
    this.#base = basePath(transport.prefix, channel, this.#sanitize)
    this.cancelToken = new CancelToken({ parent: transport.cancelToken, signal })
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
    return this.#item('readRfq', ['rfqs', id], parseRfq, options)
  }

  readResponse(rfqId: string, id: string, options?: ItemReadOptions): Promise<ReadResult<Observation<RfqResponse>>> {
    return this.#item('readResponse', ['rfqs', rfqId, 'responses', id], parseResponse, options)
  }

  async readForClose(id: string): Promise<CloseSlot> {
    const target = this.#target('closeRfq', ['rfqs', id, 'close'])
    let acquired: { slot: Slot; since: number } | undefined
    const { transport } = this.#options
    const acquire: AcquireSlot = async ({ fairnessKey = this, cancelToken = this.cancelToken }) => {
      this.#assertMaySend(target)
      const slot = await transport.acquire(fairnessKey, cancelToken, STARTS_OF_CLOSE)
      acquired = { slot, since: transport.elapsed() }
      return slot
    }
    const read = await this.#item('readRfq', ['rfqs', id], parseRfq, { acquire })
    const { slot, since } = acquired as NonNullable<typeof acquired>
    return {
      read,
      readAge: () => transport.elapsed() - since,
      wasPaused: () => slot.wasPaused(),
      close: async (refuseStart) => {
        await slot.syncPauses()
        return parseCloseReply(await this.#send(target, { slot, refuseStart }), this.#sanitize)
      },
      release: () => slot.release(),
    }
  }

  async #list<T>(operation: Operation, kind: 'listing' | 'rfq', parse: DocumentParser<T>): Promise<ListResult<T>> {
    const target = this.#target(operation, [`${kind}s`])
    const read = await this.#read(target, async (reply) => {
      const collected = new ListCollector(kind, reply.containedKey ? flagRedactedKey(parse) : parse)
      const { items, partial } = await readJsonList(reply, target.label, this.#sanitize)
      for await (const item of items) collected.add(item.text, item.parse)
      return { value: collected.finish(), partial }
    })
    return { ...read, ...read.value }
  }

  /** @param segments of the path, the last one of which is the id */
  async #item<T>(
    operation: Operation,
    segments: string[],
    parse: DocumentParser<T>,
    { fingerprint: known, ...options }: ItemReadOptions & SlotOptions = {},
  ): Promise<ReadResult<Observation<T>>> {
    const target = this.#target(operation, segments)
    const id = segments.at(-1) as string
    const parseItem = (reply: TransportReply): Observation<T> | Promise<Observation<T>> => {
      const fingerprint = reply.containedKey ? null : fingerprintOf(reply.body, this.#options.version)
      if (fingerprint !== null && fingerprint === known) return storedObservation(id, fingerprint, reply.body, parse)
      const observe = ({ value, received }: ParsedObject): Observation<T> => {
        requireMatchingId(value, id, target.label, this.#sanitize)
        const observation = (reply.containedKey ? flagRedactedKey(parse) : parse)(value, received)
        // A document without an id is stored under the requested id.
        observation.id = id
        observation.fingerprint = received.hasInvalidUtf8 ? null : fingerprint
        return observation
      }
      const parsed = readJsonObject(reply, target.label, this.#sanitize)
      return parsed instanceof Promise ? parsed.then(observe) : observe(parsed)
    }
    return this.#read(target, parseItem, options)
  }

  #target(operation: Operation, segments: string[]): Target {
    const path = encodePath(this.#base, segments)
    const method = operation === 'closeRfq' ? 'POST' : 'GET'
    const url = () => this.#options.transport.origin + (path ?? [this.#base, ...segments].join('/'))
    const label = () => `${method} ${this.#sanitize(url())}`
    if (path === null) throw new ItemError(`${label()}: this identifier cannot be part of a URL; nothing was sent`)
    return { operation, method, path, label, scope: segments.length === 1 ? 'list' : 'item' }
  }

  #read<T>(
    target: Target,
    parse: ParseReply<T>,
    {
      retries = this.#options.retries,
      cancelToken = this.cancelToken,
      acquire,
    }: Omit<ItemReadOptions, 'fingerprint'> & SlotOptions = {},
  ): Promise<ReadResult<T>> {
    const { backoff, timing } = this.#options
    const attempt = (retry: number) => this.#requestAndParse(target, { retry, cancelToken, acquire }, parse)
    return withRetries(attempt, { retries, backoff, quota: this.#quota, timing, cancelToken })
  }

  async #requestAndParse<T>(
    target: Target,
    { acquire, ...attempt }: AttemptOptions,
    parse: ParseReply<T>,
  ): Promise<ReadResult<T>> {
    if (!acquire) return this.#requestInSlot(target, attempt, parse)
    const slot = await acquire(attempt)
    return this.#requestInSlot(target, { ...attempt, slot }, parse).catch((error: unknown) => {
      slot.release()
      throw error
    })
  }

  async #requestInSlot<T>(target: Target, attempt: RequestOptions, parse: ParseReply<T>): Promise<ReadResult<T>> {
    const reply = await this.#send(target, attempt)
    const { status, sentAt: readAt, serverDate } = reply
    if (status !== 200) throw this.#errorFor(reply, target)
    const parsed = parse(reply)
    return { value: parsed instanceof Promise ? await parsed : parsed, readAt, serverDate }
  }

  async #send(target: Target, options: RequestOptions): Promise<TransportReply> {
    let isCounted = false
    const beforeSend = () => {
      this.#assertMaySend(target)
      this.#requests++
      isCounted = true
    }
    // Checked before waiting for the rate limiter, and again before sending.
    this.#assertMaySend(target)
    const request = {
      target,
      headers: this.#headers,
      removeKey: this.#removeKey,
      retry: 0,
      fairnessKey: this,
      cancelToken: this.cancelToken,
      beforeSend,
      ...options,
    }
    let reply: TransportReply
    try {
      reply = await this.#options.transport.send(request)
    } catch (error) {
      if (isCounted && error instanceof NotSentError) this.#requests--
      throw error
    }
    this.#suspendOn(reply, target)
    return reply
  }

  /** After a rejected read the session sends nothing more. After a rejected close it still reads, to verify the outcome. */
  #suspendOn(reply: TransportReply, target: Target): void {
    const rejected = reply.status === 401 || reply.status === 403
    if (rejected && target.method === 'GET') this.#suspended ??= errorForStatus(reply, target, this.#sanitize)
  }

  #assertMaySend({ method, label }: Target): void {
    if (this.#suspended) throw this.#suspended
    if (method === 'POST' || !this.#quota.exhausted) return
    throw new NotSentError(`${label()}: not sent, because too many requests of this run failed`)
  }

  #errorFor(reply: TransportReply, target: Target): Error {
    const error = errorForStatus(reply, target, this.#sanitize)
    return (error instanceof TransientError && this.#options.transport.longPause()) || error
  }
}

/** Another version of Quotekeeper may find other problems in the same bytes. */
const fingerprintOf = (body: Buffer, version: string) =>
  `${version} ${hash('sha256', body, 'base64').slice(0, FINGERPRINT_LENGTH)}`
/** Of 43 characters: 132 bits. */
const FINGERPRINT_LENGTH = 22

function storedObservation<T>(id: string, fingerprint: string, body: Buffer, parse: DocumentParser<T>) {
  const text = decodeText(body).trim()
  return new StoredObservation<T>(id, text, fingerprint, () => {
    const { value, received } = parseAgain(text)
    return parse(value, received)
  })
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
