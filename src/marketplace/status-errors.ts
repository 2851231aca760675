import type { Sanitize } from './body/sanitizer.js'
import { ChannelError, ItemError, type MarketplaceError, UnavailableError } from './errors.js'
import type { HttpReply } from './http/http-exchange.js'
import type { Target } from './http/transport.js'
import { TransientError } from './retry.js'

const MAX_QUOTED_LENGTH = 4096

/** The `message` of an error body, else the start of the body; null if it is empty. */
export function errorMessageOf(body: Buffer, sanitize: Sanitize): string | null {
  const text = body.toString('utf8')
  // A body may have been cut within an API key, so its end is not quoted.
  const start = text.slice(0, MAX_QUOTED_LENGTH)
  const message = (parseJsonOrNull(text) as { message?: unknown } | null)?.message
  return sanitize(typeof message === 'string' && message !== '' ? message : start) || null
}

/** Parsed JSON; null for invalid JSON. */
export function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * The error for a read that was answered with another status than 200 (docs/MARKETPLACE.md, Reactions to each reply).
 * Statuses that the API description does not define are treated as in RFC 9110.
 */
export function errorForStatus(reply: HttpReply, target: Target, sanitize: Sanitize): MarketplaceError {
  const { status } = reply
  const detail = errorMessageOf(reply.body, sanitize)
  const failure = `${target.label()}: status ${status}${detail ? ` (${detail})` : ''}`
  if (status === 401) return new ChannelError(`${failure}. ${UNAUTHORIZED}`, { status })
  if (status === 403) return new ChannelError(`${failure}. ${FORBIDDEN}`, { status })
  if (status === 400 || status === 404 || status === 410) return notFoundError(failure, reply, target)
  if (status === 408 || status === 429 || status >= 500) return new TransientError(failure, { status })
  if (status >= 300 && status < 400 && status !== 304) return redirectError(reply, target, sanitize)
  return new UnavailableError(`${failure}, which the API description does not define`, { status })
}

const UNAUTHORIZED = 'The API key is not accepted: correct or renew it'
const FORBIDDEN =
  'The API key has no access to this organization or channel: request access, or correct org and channel'

function notFoundError(failure: string, { status }: HttpReply, { scope }: Target): MarketplaceError {
  if (scope === 'item') return new ItemError(failure, { status })
  return new ChannelError(`${failure}. The channel does not exist there: correct org, channel or baseUrl`, { status })
}

/** Redirects are not followed: the API key is sent to the configured origin only. */
function redirectError({ status, headers }: HttpReply, { label, scope }: Target, sanitize: Sanitize): MarketplaceError {
  const location = sanitize(String(headers.location ?? 'an unspecified address'))
  const message = `${label()}: status ${status}, a redirect to ${location}. Redirects are not followed: if the marketplace has moved, correct baseUrl`
  return scope === 'list' ? new ChannelError(message, { status }) : new UnavailableError(message, { status })
}
