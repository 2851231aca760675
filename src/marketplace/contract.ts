import type { ChannelRef } from '../core/channel.js'
import type { Listing, Observation, Rfq, RfqListItem, RfqResponse } from '../core/documents/observation.js'
import type { RequestLedger } from '../core/requests/request-ledger.js'
import type { Clock } from '../core/time/clock.js'

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

/** Waits before retries, in milliseconds: before the first, between this and twice this; doubled for each further one. */
export interface Backoff {
  minTimeout: number
  maxTimeout: number
}

/** Clock and timers, passed as a parameter so that tests need not wait. */
export interface Timing {
  /** Milliseconds on a monotonic clock. */
  elapsed(): number
  /** Resolves after the time; rejects at once if the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** A client of one marketplace; all its channels share connections, concurrency and rate limit. */
export interface Marketplace {
  /** Opens a session for one run on one channel, with its own retry quota and request count. */
  session(channel: ChannelRef & { readonly apiKey: string }, options?: { signal?: AbortSignal }): ChannelSession
  /** Closes all connections and aborts requests in flight. */
  close(): Promise<void>
}

/**
 * The five operations of the API on one channel (docs/MARKETPLACE.md, Operations). Reads are retried here; a close is
 * sent once. Methods throw only `MarketplaceError` (errors.ts). A document that deviates from the API description is not
 * an error.
 */
export interface ChannelSession {
  readonly channel: ChannelRef
  /** HTTP requests sent so far, including retries. */
  readonly requests: number
  /** Reads that wait for their turn. */
  readonly waiting: number
  /** Waits until one of them has it. */
  nextTurn(): Promise<void>
  listListings(): Promise<ListResult<Listing>>
  listRfqs(): Promise<ListResult<RfqListItem>>
  /**
   * One RFQ with the summaries of its responses. A document with another id is a failed read; a document without an id
   * gets the requested one and is not valid.
   */
  readRfq(id: string, options?: ItemReadOptions): Promise<ReadResult<Observation<Rfq>>>
  /** One response to an RFQ; the id is treated as in `readRfq`. */
  readResponse(rfqId: string, id: string, options?: ItemReadOptions): Promise<ReadResult<Observation<RfqResponse>>>
  /**
   * Reads an RFQ like `readRfq`, in a slot of the rate limiter that admits a close too, so that it can follow at once. The caller releases
   * the slot.
   */
  readForClose(id: string): Promise<CloseSlot>
}

/** A read of an RFQ, and the request slot in which its close can follow without waiting. The slot is occupied until `release`. */
export interface CloseSlot {
  read: ReadResult<Observation<Rfq>>
  /** Milliseconds since the read was sent, on a monotonic clock. */
  readAge(): number
  /** Whether the marketplace asked for a pause since the slot was taken. */
  wasPaused(): boolean
  /**
   * Closes the RFQ with one POST, never retried. Returns every complete HTTP reply, whatever its status.
   * @param refuseStart called once connected, just before the first byte is sent: why nothing may be sent, or null
   * @throws NotSentError, ChannelError, ItemError if nothing was sent
   * @throws UnavailableError if no complete reply arrived: the outcome is unknown
   * @throws AbortedError; something was sent if `refuseStart` returned null
   */
  close(refuseStart: () => string | null): Promise<CloseResult>
  release(): void
}

export interface ItemReadOptions {
  /** `hash` of the stored document: a text with the same one is not parsed. */
  knownHash?: string | null | undefined
  /** Retries after the first attempt. Default: as many as `requests.retries` says. */
  retries?: number | undefined
}

export interface ReadResult<T> {
  value: T
  /** Just before the successful request was sent: the value is at least this recent. */
  readAt: Date
  /** The `Date` header, null if absent or invalid. */
  serverDate: Date | null
}

export interface ListResult<T> extends ReadResult<Observation<T>[]> {
  /** What the list says of itself that makes it only a part (replies.ts); null if it does not. */
  partial: string | null
}

/** The reply to a close request. */
export interface CloseResult {
  /** The HTTP status, or the `statusCode` of an error body that came with status 200. */
  status: number
  /** `ok` of the body; null if it is not a boolean. */
  ok: boolean | null
  /** The message of the body (at most 200 characters) or the start of an unexpected body (80), sanitized; null if none. */
  message: string | null
  serverDate: Date | null
}

export interface RequestLimits {
  /** Requests of this process in flight at once. */
  concurrency: number
  /** Requests started per second, over all processes that share a ledger. */
  perSecond: number
  /** From connecting to the last byte of the reply, in milliseconds. */
  timeoutMs: number
  /** Retries of one read after its first attempt. */
  retries: number
  /** Largest decoded body, in MiB. */
  maxBodyMiB: number
}

/** Called after each HTTP request, for metrics. Must not throw. */
export type RequestObserver = (event: {
  operation: Operation
  code: number | 'error'
  /** From sending the request to the last byte of the reply. */
  seconds: number
  retry: boolean
  /** How long the request waited for the request limits. */
  waitedSeconds: number
  /** How far the local clock is ahead of the marketplace's (core/clock-skew.ts); null without a `Date` header. */
  clockSkewSeconds: number | null
}) => void
export type Operation = 'listListings' | 'listRfqs' | 'readRfq' | 'readResponse' | 'closeRfq'
