import type { Operation, Route } from './api-routes.js'

/** A request as received, with the reply sent. */
export interface RequestLogEntry {
  /** When it was received; always real time. */
  at: Date
  method: string
  /** As sent, with the query. */
  path: string
  /** Null if the path and method are not an API operation. */
  operation: Operation | null
  org: string | null
  channel: string | null
  rfqId: string | null
  responseId: string | null
  /** Whether the key in `Authorization` gives access; the key itself is not kept. */
  key: 'absent' | 'unknown' | 'foreign' | 'good'
  userAgent: string | null
  /** The request's content length; null if it has none. */
  bodyLength: number | null
  /** Status sent; null until a reply is sent, or if the connection was cut first. */
  status: number | null
  /** Whether the request changed the world, that is, closed an RFQ. */
  applied: boolean
  /** Kinds of the fault effects applied. */
  faults: string[]
  /** When the reply was handed to the network, real time; null until then. */
  answeredAt: Date | null
}

/** The most recent requests, with counts of all requests. */
export class RequestLog {
  readonly #maxEntries: number
  #entries: RequestLogEntry[] = []
  #total = 0
  #inFlight = 0
  #peak = 0

  /** @param maxEntries entries kept; 0 keeps none and only counts */
  constructor(maxEntries = 100_000) {
    this.#maxEntries = maxEntries
  }

  /** Oldest first. */
  get entries(): readonly RequestLogEntry[] {
    return this.#entries
  }
  /** Number of requests received since the start or the last reset. */
  get total(): number {
    return this.#total
  }
  /** Number of requests in progress. */
  get inFlight(): number {
    return this.#inFlight
  }
  /** Highest number of requests in progress at the same time. */
  get peak(): number {
    return this.#peak
  }

  begin(entry: RequestLogEntry): void {
    this.#total++
    this.#peak = Math.max(this.#peak, ++this.#inFlight)
    if (this.#maxEntries === 0) return
    // Dropping half of the entries at a time keeps the cost per request constant.
    if (this.#entries.length >= this.#maxEntries) this.#entries = this.#entries.slice(Math.ceil(this.#maxEntries / 2))
    this.#entries.push(entry)
  }
  end(): void {
    this.#inFlight--
  }
  reset(): void {
    this.#entries = []
    this.#total = 0
    this.#peak = this.#inFlight
  }
}

/** A new entry; what is not yet known is filled in later. */
export function newEntry(request: { method: string; path: string; route: Route | null; at: number }): RequestLogEntry {
  const { method, path, route, at } = request
  return {
    at: new Date(at),
    method,
    path,
    operation: route?.operation ?? null,
    org: route?.org ?? null,
    channel: route?.channel ?? null,
    rfqId: route?.rfqId ?? null,
    responseId: route?.responseId ?? null,
    key: 'absent',
    userAgent: null,
    bodyLength: null,
    status: null,
    applied: false,
    faults: [],
    answeredAt: null,
  }
}
