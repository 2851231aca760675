import { MAX_PAUSE_MS } from '../core/requests/request-ledger.js'
import type { HttpReply } from './http-exchange.js'

/**
 * Parses an HTTP date in the form that senders must use (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
 * @returns null if the text is not one
 */
export function parseHttpDate(text: string): Date | null {
  const date = new Date(text)
  // `Date` also parses local times and other forms.
  return date.toUTCString() === text.trim() ? date : null
}

/**
 * How long a reply asks to wait (Retry-After, RFC 9110 §10.2.3).
 * @param headers a date in them is relative to their `Date`, so that clock skew does not matter, and to `now` without one
 * @returns milliseconds, 0 (also for a past date) to 24 hours; null if the header is absent or invalid
 */
export function parseRetryAfter(headers: HttpReply['headers'], now: Date): number | null {
  const text = String(headers['retry-after'] ?? '').trim()
  const from = parseHttpDate(String(headers.date ?? '')) ?? now
  const wait = /^\d+$/.test(text)
    ? Number(text) * 1000
    : (parseHttpDate(text)?.getTime() ?? Number.NaN) - from.getTime()
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), MAX_PAUSE_MS)
}
