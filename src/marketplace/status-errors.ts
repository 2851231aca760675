import { ChannelError, ItemError, type MarketplaceError, UnavailableError } from './errors.js'
import type { HttpReply } from './http-exchange.js'
import { TransientError } from './retry.js'
import type { Sanitize } from './sanitizer.js'
import type { Target } from './transport.js'

/** An answer's own words about what went wrong: the error body's message, else the beginning of the body. */
export function errorMessageOf(body: Buffer, quote: Sanitize): string | null {
  const text = body.toString('utf8')
  const message = (parseJsonOrNull(text) as { message?: unknown } | null)?.message
  return quote(typeof message === 'string' && message !== '' ? message : text) || null
}

/** Parsed JSON, null where the text is none. */
export function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * What an answer other than 200 to a read means for the caller.
 * Source: marketplace-api.md, Errors; the statuses it does not name after RFC 9110.
 */
export function errorForStatus(reply: HttpReply, target: Target, quote: Sanitize): MarketplaceError {
  const { status } = reply
  const words = errorMessageOf(reply.body, quote)
  const said = `${target.label()}: answered ${status}${words ? ` (${words})` : ''}`
  if (status === 401) return new ChannelError(`${said}. The API key is not accepted: correct or renew it`, { status })
  if (status === 403) return new ChannelError(`${said}. ${FORBIDDEN}`, { status })
  if (status === 400 || status === 404 || status === 410) return notFoundError(said, reply, target)
  if (status === 408 || status === 429 || status >= 500) return new TransientError(said, { status })
  if (status >= 300 && status < 400) return redirectError(reply, target, quote)
  return new UnavailableError(`${said}, a status the API document does not name`, { status })
}

const FORBIDDEN = 'The API key has no access to this organization or channel: ask for it, or correct org and channel'

function notFoundError(said: string, { status }: HttpReply, { scope }: Target): MarketplaceError {
  if (scope === 'item') return new ItemError(said, { status })
  return new ChannelError(`${said}. There is no such channel there: correct org, channel or baseUrl`, { status })
}

/** A redirect is never followed: the key goes to the configured origin and nowhere else. */
function redirectError({ status, headers }: HttpReply, { label, scope }: Target, quote: Sanitize): MarketplaceError {
  const target = quote(String(headers.location ?? 'nowhere'))
  const message = `${label()}: answered ${status}, a redirect to ${target}, which is not followed; correct baseUrl if the marketplace has moved`
  return scope === 'list' ? new ChannelError(message, { status }) : new UnavailableError(message, { status })
}
