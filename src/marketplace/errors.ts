import { UserFacingError } from '../core/user-facing-error.js'

/**
 * Errors of the marketplace client, one class per reaction of the caller (docs/MARKETPLACE.md, Errors).
 * Messages never contain the API key; text of the marketplace is sanitized and cut at 200 characters.
 */
export class MarketplaceError extends UserFacingError {
  /** HTTP status, null without a reply. */
  readonly status: number | null
  constructor(message: string, options: { status?: number | null; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.status = options.status ?? null
  }
}

/**
 * No usable reply after all retries: try again later. Network error, timeout, 408, 429, 5xx, an unexpected or too large
 * body, or a status the API description does not define.
 */
export class UnavailableError extends MarketplaceError {
  override name = 'UnavailableError'
}

/** A failure that a retry may overcome: only within the client (retry.ts). */
export class TransientError extends UnavailableError {}

/** Nothing was sent: too many requests of the run failed, or no byte of a close left this process. */
export class NotSentError extends UnavailableError {}

/** 400, 404 or 410 for one RFQ or response, or an identifier that cannot be part of a URL: skip this item. */
export class ItemError extends MarketplaceError {}

/**
 * 401 or 403; 400, 404, 410 or a redirect for a list; or a key or name that cannot be sent: skip this channel until the
 * configuration is corrected.
 */
export class ChannelError extends MarketplaceError {}

/**
 * Retry-After is longer than a run may wait: end the run as partial and start no other before `until`.
 * Thrown by `closeRfq`, it means that nothing was sent.
 */
export class PausedError extends MarketplaceError {
  readonly until: Date
  constructor(message: string, until: Date) {
    super(message, { status: 429 })
    this.until = until
  }
}

/** The run was stopped, or the client was closed. */
export class AbortedError extends MarketplaceError {}

/** The error of a call whose signal is aborted. */
export const abortedError = ({ reason }: AbortSignal): AbortedError =>
  reason instanceof AbortedError ? reason : new AbortedError('The run was stopped')

/** Describes a network error by its message or code, never by its whole error object, which may contain parts of the reply. */
export function describeNetworkError(error: unknown): string {
  const { message, code } = Object(error) as { message?: string; code?: string }
  return message || code || 'unknown network error'
}
