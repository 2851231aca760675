/**
 * What went wrong with the marketplace, split by what the caller does next.
 * Messages never hold the key; outside text in them is cleaned and cut at 200 characters.
 */
export class MarketplaceError extends Error {
  override name = 'MarketplaceError'
  /** HTTP status, null if no answer came. */
  readonly status: number | null
  constructor(message: string, options: { status?: number | null; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.status = options.status ?? null
  }
}

/** Network error, time-out, 408, 429, 5xx, or a body that is not the JSON promised, after all retries: try again later. */
export class UnavailableError extends MarketplaceError {
  override name = 'UnavailableError'
}

/** 400 or 404 for one RFQ or response: give up on this item. */
export class ItemError extends MarketplaceError {
  override name = 'ItemError'
}

/** 401, 403, or 404 for a list: give up on this channel until somebody mends the configuration. */
export class ChannelError extends MarketplaceError {
  override name = 'ChannelError'
}

/** Asked to wait longer than a run may wait (Retry-After): end the run as partial, begin none before `until`. */
export class PausedError extends MarketplaceError {
  override name = 'PausedError'
  readonly until: Date
  constructor(message: string, until: Date) {
    super(message, { status: 429 })
    this.until = until
  }
}

/** The run was stopped from our side (shutdown). */
export class AbortedError extends MarketplaceError {
  override name = 'AbortedError'
}
