import { hash } from 'node:crypto'
import type { ChannelRef } from '../core/channel.js'
import type { SubjectKind } from '../core/documents/documents.js'
import { comparableId } from '../core/documents/identifier.js'
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
import { parseList, parseObject, type ReceivedText, readJson, receiveText } from './body/json-body.js'
import { createKeySearch, createSanitizer, type Sanitize } from './body/sanitizer.js'
import type {
  ChannelSession,
  CloseResult,
  CloseSlot,
  ItemReadOptions,
  ListResult,
  Operation,
  ReadResult,
} from './contract.js'
import { ChannelError, ItemError, NotSentError } from './errors.js'
import { CancelToken } from './http/cancel-token.js'
import type { Timing } from './http/timing.js'
import type { Slot, Target, Transport, TransportReply, TransportRequest } from './http/transport.js'
import { encodePath } from './http/url-path.js'
import { type Backoff, RetryQuota, TransientError, withRetries } from './retry.js'
import { errorForStatus, errorMessageOf, parseJsonOrNull } from './status-errors.js'

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

type ParseReply<T> = (reply: TransportReply) => T | Promise<T>

/** The requests of one run on one channel, with its own key, retry quota and count; the transport is shared. */
export class Session implements ChannelSession {
  readonly channel: ChannelRef
  readonly cancelToken: CancelToken
  readonly #options: SessionOptions
  readonly #quota = new RetryQuota()
  readonly #sanitize: Sanitize
  readonly #hasKey: (bytes: Buffer) => boolean
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
    this.#hasKey = createKeySearch(channel.apiKey)
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
    return this.#item('readRfq', 'rfq', ['rfqs', id], parseRfq, options)
  }

  readResponse(rfqId: string, id: string, options?: ItemReadOptions): Promise<ReadResult<Observation<RfqResponse>>> {
    return this.#item('readResponse', 'response', ['rfqs', rfqId, 'responses', id], parseResponse, options)
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
    const read = await this.#item('readRfq', 'rfq', ['rfqs', id], parseRfq, { acquire })
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
    const read = await this.#read(target, (reply) => {
      const received = this.#receive(reply, target)
      const observeItem = (text: string) => this.#observe(received, kind, parse, { text, body: JSON.parse(text) })
      return parseList(received, reply.headers, observeItem)
    })
    return { ...read, ...read.value }
  }

  /** @param segments of the path, the last one of which is the id */
  async #item<T>(
    operation: Operation,
    kind: SubjectKind,
    segments: string[],
    parse: DocumentParser<T>,
    { knownHash, ...options }: ItemReadOptions & SlotOptions = {},
  ): Promise<ReadResult<Observation<T>>> {
    const target = this.#target(operation, segments)
    const id = segments.at(-1) as string
    const parseItem = (reply: TransportReply): Observation<T> => {
      const received = this.#receive(reply, target)
      const { text } = received
      const textHash = this.#textHash(text)
      if (textHash === knownHash)
        return { id, text, textHash, hash: '', same: true, document: null, problems: [], valid: true }
      const body = parseObject(received)
      requireMatchingId(body, id, target.label, this.#sanitize)
      const observation = readJson(received, () => this.#observe(received, kind, parse, { text, body }))
      // A document without an id is stored under the requested id.
      return { ...observation, id }
    }
    return this.#read(target, parseItem, options)
  }

  #receive(reply: TransportReply, { label }: Target): ReceivedText {
    return receiveText(reply, label, { sanitize: this.#sanitize, hasKey: this.#hasKey })
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

  #read<T>(
    target: Target,
    parse: ParseReply<T>,
    {
      retries = this.#options.retries,
      cancelToken = this.cancelToken,
      acquire,
    }: Omit<ItemReadOptions, 'knownHash'> & SlotOptions = {},
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
    return { value: await parse(reply), readAt, serverDate }
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

const INVALID_UTF8: Problem = {
  path: '',
  code: 'encoding',
  message: 'the text is not valid UTF-8; the invalid bytes are stored as U+FFFD',
}

/**
 * Checks that a document has the requested id, or none.
 * @throws TransientError for another id: the document must not be stored under the requested one
 */
function requireMatchingId({ id: found }: { id?: unknown }, id: string, label: () => string, sanitize: Sanitize): void {
  if (found === undefined || found === null || found === '') return
  if (typeof found === 'string' && comparableId(found) === comparableId(id)) return
  const shown = typeof found === 'string' ? sanitize(found) : `of type ${typeof found}`
  throw new TransientError(`${label()}: status 200, but the body is another document (id ${shown})`, { status: 200 })
}

/** Extracts `ok` and the message of a close reply; the caller interprets them. */
function parseCloseReply({ status, body, serverDate }: TransportReply, sanitize: Sanitize): CloseResult {
  const parsed = parseJsonOrNull(body.toString('utf8')) as {
    ok?: unknown
    message?: unknown
    statusCode?: unknown
  } | null
  const ok = typeof parsed?.ok === 'boolean' ? parsed.ok : null
  const hasNoMessage = ok !== null && typeof parsed?.message !== 'string'
  const error = Number(parsed?.statusCode)
  return {
    status: status === 200 && error >= 400 ? error : status,
    ok,
    message: hasNoMessage ? null : errorMessageOf(body, sanitize),
    serverDate,
  }
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
