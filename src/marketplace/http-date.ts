import { MAX_PAUSE_MS } from '../core/requests/request-ledger.js'

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
 * Parses a Retry-After header (RFC 9110 §10.2.3).
 * @param value the header: whole seconds or an HTTP date; undefined if absent
 * @param from the time a date is relative to: the `Date` of the reply, so that clock skew does not matter
 * @returns milliseconds to wait, 0 (also for a past date) to 24 hours; null if absent or invalid
 */
export function parseRetryAfter(value: string | undefined, from: Date): number | null {
  const text = value?.trim() ?? ''
  const wait = /^\d+$/.test(text)
    ? Number(text) * 1000
    : (parseHttpDate(text)?.getTime() ?? Number.NaN) - from.getTime()
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), MAX_PAUSE_MS)
}
