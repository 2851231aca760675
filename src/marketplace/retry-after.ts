import { parseHttpDate } from './http-date.js'

/** The longest pause that is believed, in milliseconds: a slip in a header must not silence a channel for years. */
export const MAX_PAUSE_MS = 24 * 60 * 60 * 1000

/**
 * Reads a Retry-After header (RFC 9110 §10.2.3).
 * @param value the header, undefined if absent: whole seconds or an HTTP date
 * @param from the moment a date is counted from: the answer's own `Date`, so that clocks apart do no harm
 * @returns milliseconds to wait, from 0 (also for a date gone by) to 24 hours; null if absent or nonsense
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
