import type { ChannelRef } from '../domain/channel.js'
import {
  type Listing,
  type Observation,
  parseListing,
  parseResponse,
  parseRfq,
  parseRfqListItem,
  type Rfq,
  type RfqListItem,
  type RfqResponse,
} from '../domain/observation.js'
import { CancelToken } from './cancel-token.js'
import type { ChannelSession, CloseResult, Operation, ReadResult } from './contract.js'
import { ChannelError, ItemError, UnavailableError } from './errors.js'
import { type JsonObject, readJsonObject } from './json-body.js'
import { extractItems, parseCloseReply, parseItems, requireMatchingId } from './response-parsing.js'
import { type Backoff, RetryQuota, TransientError, withRetries } from './retry.js'
import { type Sanitize, sanitizer } from './sanitizer.js'
import { errorForStatus } from './status-errors.js'
import type { Timing } from './timing.js'
import type { Target, Transport, TransportReply } from './transport.js'
import { encodePath } from './url-path.js'

export interface SessionOptions {
  host: Transport
  channel: ChannelRef & { readonly apiKey: string }
  retries: number
  backoff: Backoff
  timing: Timing
  signal?: AbortSignal | undefined
}

/** What one run does on one channel: its own key, quota, counter and suspension; the host is shared. */
export class Session implements ChannelSession {
  readonly channel: ChannelRef
  readonly #options: SessionOptions
  readonly #quota = new RetryQuota()
  readonly #quote: Sanitize
  readonly #stop: CancelToken
  /** The channel's path, encoded. */
  readonly #base: string
  #requests = 0
  #suspended: Error | null = null

  /** @throws ChannelError for a key that cannot stand in a header, or names that cannot stand in an address */
  constructor(options: SessionOptions) {
    const { host, channel, signal } = options
    checkKey(channel)
    this.channel = { org: channel.org, channel: channel.channel }
    this.#options = options
    this.#quote = sanitizer(channel.apiKey)
    this.#base = basePath(host.prefix, channel, this.#quote)
    this.#stop = new CancelToken({ parent: host.stop, signal })
  }

  get requests(): number {
    return this.#requests
  }

  listListings(): Promise<ReadResult<Observation<Listing>[]>> {
    return this.#list('listListings', 'listings', parseListing)
  }

  listRfqs(): Promise<ReadResult<Observation<RfqListItem>[]>> {
    return this.#list('listRfqs', 'rfqs', parseRfqListItem)
  }

  readRfq(id: string): Promise<ReadResult<Observation<Rfq>>> {
    return this.#item('readRfq', ['rfqs', id], id, parseRfq)
  }

  readResponse(rfqId: string, id: string): Promise<ReadResult<Observation<RfqResponse>>> {
    return this.#item('readResponse', ['rfqs', rfqId, 'responses', id], id, parseResponse)
  }

  async closeRfq(id: string): Promise<CloseResult> {
    const target = this.#target('closeRfq', ['rfqs', id, 'close'])
    return parseCloseReply(await this.#send(target, 0), this.#quote)
  }

  async #list<T>(operation: Operation, name: string, observe: (item: unknown) => Observation<T>) {
    const target = this.#target(operation, [name])
    const answer = await this.#read(target, (body) => extractItems(body, target.label))
    return { ...answer, value: await parseItems(answer.value, observe) }
  }

  async #item<T>(operation: Operation, segments: string[], id: string, observe: (body: unknown) => Observation<T>) {
    const target = this.#target(operation, segments)
    const answer = await this.#read(target, (body) => requireMatchingId(body, id, target.label, this.#quote))
    // A document without an identifier is the one at the address it was read from (architecture.md, rule 1).
    return { ...answer, value: { ...observe(answer.value), id } }
  }

  #target(operation: Operation, segments: string[]): Target {
    const path = encodePath(this.#base, segments)
    const method = operation === 'closeRfq' ? 'POST' : 'GET'
    const address = () => this.#options.host.origin + (path ?? [this.#base, ...segments].join('/'))
    const label = () => `${method} ${this.#quote(address())}`
    if (path === null) throw new ItemError(`${label()}: no address can hold this identifier; nothing was sent`)
    return { operation, method, path, label, scope: segments.length === 1 ? 'list' : 'item' }
  }

  #read<T>(target: Target, take: (body: JsonObject) => T): Promise<ReadResult<T>> {
    const { retries, backoff, timing } = this.#options
    const attempt = (retry: number) => this.#attempt(target, retry, take)
    return withRetries(attempt, { retries, backoff, quota: this.#quota, timing, stop: this.#stop })
  }

  async #attempt<T>(target: Target, retry: number, take: (body: JsonObject) => T) {
    const reply = await this.#send(target, retry)
    if (reply.status !== 200) throw this.#refusal(reply, target)
    const value = take(await readJsonObject(reply, target.label, this.#quote))
    return { value, readAt: reply.sentAt, serverDate: reply.serverDate }
  }

  async #send(target: Target, retry: number): Promise<TransportReply> {
    const { host, channel } = this.#options
    const beforeSend = () => {
      this.#refuseIfHopeless(target)
      this.#requests++
    }
    // Asked twice: before the wait for a turn, and after it.
    this.#refuseIfHopeless(target)
    const reply = await host.send({
      target,
      apiKey: channel.apiKey,
      retry,
      fairnessKey: this,
      stop: this.#stop,
      beforeSend,
    })
    this.#suspendOn(reply, target)
    return reply
  }

  /** A key that may not read may do nothing. One that may not close may still read, and the caller will, to settle it. */
  #suspendOn(reply: TransportReply, target: Target): void {
    const refused = reply.status === 401 || reply.status === 403
    if (refused && target.method === 'GET') this.#suspended ??= errorForStatus(reply, target, this.#quote)
  }

  #refuseIfHopeless({ method, label }: Target): void {
    if (this.#suspended) throw this.#suspended
    if (method === 'POST' || !this.#quota.exhausted) return
    throw new UnavailableError(`${label()}: not sent, because the marketplace failed too often in this run`)
  }

  #refusal(reply: TransportReply, target: Target): Error {
    const error = errorForStatus(reply, target, this.#quote)
    return (error instanceof TransientError && this.#options.host.longPause()) || error
  }
}

/** Printable ASCII only, so that no library ever has to complain about a key by quoting it (reliability.md). */
function checkKey({ org, channel, apiKey }: SessionOptions['channel']): void {
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(apiKey)) return
  const name = sanitizer('')(`${org}/${channel}`)
  throw new ChannelError(
    `The API key of ${name} is empty, or holds something other than printable ASCII (a line break, perhaps): set it anew`,
  )
}

function basePath(prefix: string, { org, channel }: ChannelRef, quote: Sanitize): string {
  const path = encodePath(prefix, ['v1', 'orgs', org, 'channels', channel])
  if (path !== null) return path
  throw new ChannelError(`No address can hold the channel "${quote(`${org}/${channel}`)}": correct org and channel`)
}
