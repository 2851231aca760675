import type { Operation, Route } from './api-routes.js'

/** A request as received, and the answer given. */
export interface RequestLogEntry {
  /** When it was received, real time. */
  at: Date
  method: string
  /** As sent, with the query. */
  path: string
  /** Null for what is no operation. */
  operation: Operation | null
  org: string | null
  channel: string | null
  rfqId: string | null
  responseId: string | null
  /** What came in `Authorization`; the key itself is not kept. */
  key: 'absent' | 'unknown' | 'foreign' | 'good'
  userAgent: string | null
  /** Length of the request's body as announced; null for none. */
  bodyLength: number | null
  /** Status sent; null while there is none, or where the connection was cut first. */
  status: number | null
  /** The request changed the world: an RFQ was closed. */
  applied: boolean
  /** Kinds of the faults that took part. */
  faults: string[]
  /** When the answer was handed over, real time; null while it is not. */
  answeredAt: Date | null
}

/** The newest requests. */
export class RequestLog {
  readonly #most: number
  #entries: RequestLogEntry[] = []
  #total = 0
  #inFlight = 0
  #peak = 0

  /** @param most entries kept; 0 keeps none, and only counts */
  constructor(most = 100_000) {
    this.#most = most
  }

  /** Oldest first. */
  get entries(): readonly RequestLogEntry[] {
    return this.#entries
  }
  /** Requests received since the start or the last reset. */
  get total(): number {
    return this.#total
  }
  /** Requests under way now. */
  get inFlight(): number {
    return this.#inFlight
  }
  /** Most requests under way at once. */
  get peak(): number {
    return this.#peak
  }

  begin(entry: RequestLogEntry): void {
    this.#total++
    this.#peak = Math.max(this.#peak, ++this.#inFlight)
    if (this.#most === 0) return
    // Dropped by halves, so that keeping the bound costs next to nothing.
    if (this.#entries.length >= this.#most) this.#entries = this.#entries.slice(Math.ceil(this.#most / 2))
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

/** A new entry; what is known later is filled in. */
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
