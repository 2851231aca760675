import type { ChannelRef } from '../domain/channel.js'
import type { Listing, Observation, Rfq, RfqListItem, RfqResponse } from '../domain/observation.js'

/** The way to one marketplace: connections, concurrency and rate limits are shared by all its channels. */
export interface Marketplace {
  /** Opens a session: what one run may do on one channel. Its retry quota and counters are its own. */
  session(channel: ChannelRef & { readonly apiKey: string }, options?: { signal?: AbortSignal }): ChannelSession
  /** Ends all connections. Requests under way are aborted. */
  close(): Promise<void>
}

/**
 * The five operations of marketplace-api.md, on one channel. Reads are retried within (architecture.md, rule 6);
 * the close operation is sent once and never retried.
 * Every method throws a `MarketplaceError` (errors.ts), nothing else; a document that does not fit is no error.
 */
export interface ChannelSession {
  readonly channel: ChannelRef
  /** HTTP requests sent so far, retries included. */
  readonly requests: number
  /** Operation 1: every listing of the channel. */
  listListings(): Promise<ReadResult<Observation<Listing>[]>>
  /** Operation 2: every RFQ of the channel, list shape. */
  listRfqs(): Promise<ReadResult<Observation<RfqListItem>[]>>
  /**
   * Operation 3: one RFQ with the summaries of its responses. `id` of the answer is always the one asked for: a document
   * that says it is another is a failed read, one that names none is kept under this identifier and is not valid.
   */
  readRfq(id: string): Promise<ReadResult<Observation<Rfq>>>
  /** Operation 4: one response to an RFQ; its `id` as with `readRfq`. */
  readResponse(rfqId: string, id: string): Promise<ReadResult<Observation<RfqResponse>>>
  /**
   * Operation 5: closes an RFQ. One POST, never retried. Every answer that came is returned, whatever its status.
   * @throws UnavailableError, AbortedError: sent or not, no whole answer came, the outcome is unknown
   * @throws PausedError, ChannelError, ItemError: nothing was sent
   */
  closeRfq(id: string): Promise<CloseResult>
}

export interface ReadResult<T> {
  value: T
  /** When the request that was answered had been sent: what it shows is no older. */
  readAt: Date
  /** The marketplace's `Date` header, null if absent or unreadable. */
  serverDate: Date | null
}

/** What the marketplace said to a close. */
export interface CloseResult {
  status: number
  /** `ok` of the body: true, false, or null where the body said neither. */
  ok: boolean | null
  /** The error body's message, or the beginning of an odd body, cleaned and cut at 200 characters; null if none. */
  message: string | null
  serverDate: Date | null
}

export interface RequestLimits {
  /** Requests under way at once. */
  concurrency: number
  /** Requests begun per second. */
  perSecond: number
  /** From sending a request to the last byte of its answer, in milliseconds. */
  timeoutMs: number
  /** Retries of one read, after the first try. */
  retries: number
  /** Largest decoded body, in MiB. */
  maxBodyMiB: number
}

/** Told of each HTTP request, for metrics. */
export type RequestObserver = (event: {
  operation: Operation
  code: number | 'error'
  seconds: number
  retry: boolean
}) => void
export type Operation = 'listListings' | 'listRfqs' | 'readRfq' | 'readResponse' | 'closeRfq'
