import { MAX_PAUSE_MS } from '../../core/requests/request-ledger.js'
import { parseHttpDate } from './http-date.js'

/**
 * Parses a Retry-After header (RFC 9110 §10.2.3).
 * @param value the header: whole seconds or an HTTP date; undefined if absent
 * @param from the time a date is relative to: the `Date` of the reply, so that clock skew does not matter
 * @returns milliseconds to wait, 0 (also for a past date) to 24 hours; null if absent or invalid
 */
export function parseRetryAfter(value: string | undefined, from: Date): number | null {
  if (value === undefined) return null
  const text = value.trim()
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : delayUntil(text, from)
  return wait === null ? null : Math.min(Math.max(wait, 0), MAX_PAUSE_MS)
}

function delayUntil(text: string, from: Date): number | null {
  const date = parseHttpDate(text, from)
  return date === null ? null : date.getTime() - from.getTime()
}
