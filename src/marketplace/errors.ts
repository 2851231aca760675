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

/**
 * No answer that can be used, after all retries: try again later. Network error, time-out, 408, 429, 5xx, a body that
 * is not the document promised or larger than allowed, a status the API document does not name.
 */
export class UnavailableError extends MarketplaceError {
  override name = 'UnavailableError'
}

/** 400, 404 or 410 for one RFQ or response, or an identifier no address can hold: give up on this item. */
export class ItemError extends MarketplaceError {
  override name = 'ItemError'
}

/**
 * 401 or 403 anywhere, 400, 404, 410 or a redirect for a list, a key or name that cannot be sent: give up on this
 * channel until somebody mends the configuration.
 */
export class ChannelError extends MarketplaceError {
  override name = 'ChannelError'
}

/**
 * Asked to wait longer than a run may wait (Retry-After): end the run as partial, begin none before `until`.
 * From `closeRfq` it means that nothing was sent.
 */
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
