import type { CloseResult } from './contract.js'
import { ChannelError, ItemError, type MarketplaceError, TransientError, UnavailableError } from './errors.js'
import type { HttpReply } from './http-exchange.js'
import type { Sanitize } from './sanitizer.js'
import type { Target, TransportReply } from './transport.js'

const MAX_QUOTED_LENGTH = 4096

/** The body of an error or of a close, as far as it is JSON, and its `message`, else its start; null if it is empty. */
function readMessage({ body }: HttpReply, sanitize: Sanitize) {
  const text = body.toString('utf8')
  const { ok, message, statusCode } = Object(parsedOrNull(text)) as Record<string, unknown>
  // A body may have been cut within an API key, so its end is not quoted.
  const start = text.slice(0, MAX_QUOTED_LENGTH)
  const shown = sanitize(typeof message === 'string' && message !== '' ? message : start) || null
  return { ok, statusCode: Number(statusCode), shown, isMessage: typeof message === 'string' }
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** What the reply to a close says; the caller interprets it. */
export function closeResultOf(reply: TransportReply, sanitize: Sanitize): CloseResult {
  const { ok, statusCode, shown, isMessage } = readMessage(reply, sanitize)
  const { status, serverDate } = reply
  return {
    status: status === 200 && statusCode >= 400 ? statusCode : status,
    ok: typeof ok === 'boolean' ? ok : null,
    message: typeof ok === 'boolean' && !isMessage ? null : shown,
    serverDate,
  }
}

/**
 * The error for a read that was answered with another status than 200 (docs/MARKETPLACE.md, Reactions to each reply).
 * Statuses that the API description does not define are treated as in RFC 9110.
 */
export function errorForStatus(reply: HttpReply, target: Target, sanitize: Sanitize): MarketplaceError {
  const { status, headers } = reply
  const { shown } = readMessage(reply, sanitize)
  const failure = `${target.label()}: status ${status}${shown ? ` (${shown})` : ''}`
  if (status === 401) return new ChannelError(`${failure}. ${UNAUTHORIZED}`, { status })
  if (status === 403) return new ChannelError(`${failure}. ${FORBIDDEN}`, { status })
  if (status === 400 || status === 404 || status === 410) {
    if (target.scope === 'item') return new ItemError(failure, { status })
    return new ChannelError(`${failure}. The channel does not exist there: correct org, channel or baseUrl`, { status })
  }
  if (status === 408 || status === 429 || status >= 500) return new TransientError(failure, { status })
  if (status >= 300 && status < 400 && status !== 304) {
    // The API key is sent to the configured origin only.
    const location = sanitize(String(headers.location ?? 'an unspecified address'))
    const message = `${target.label()}: status ${status}, a redirect to ${location}. Redirects are not followed: if the marketplace has moved, correct baseUrl`
    return new (target.scope === 'list' ? ChannelError : UnavailableError)(message, { status })
  }
  return new UnavailableError(`${failure}, which the API description does not define`, { status })
}

const UNAUTHORIZED = 'The API key is not accepted: correct or renew it'
const FORBIDDEN =
  'The API key has no access to this organization or channel: request access, or correct org and channel'
