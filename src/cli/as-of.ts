import { UsageError } from './cli-error.js'

const EXPECTED =
  'a date such as 2026-01-31 (the end of that day in UTC), or a time such as 2026-01-31T12:00Z or 2026-01-31T14:00+02:00'
const DATE = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?$/i

/**
 * Parses `--as-of`. A date means the end of that day in UTC, or `now` if it is today; a time without an offset is UTC.
 * @throws {UsageError} for anything else, and for a time in the future
 */
export function parseAsOf(text: string, now: Date): Date {
  const asOf = DATE.test(text) ? parseDate(text, now) : parseTime(text)
  if (!asOf) throw new UsageError(`Invalid --as-of "${text}". Use ${EXPECTED}`)
  if (asOf.getTime() > now.getTime()) {
    throw new UsageError(`--as-of ${text} is in the future. Use a time up to ${now.toISOString()}`)
  }
  return asOf
}

function parseDate(text: string, now: Date): Date | null {
  if (!isDate(text)) return null
  return text === now.toISOString().slice(0, 10) ? now : new Date(`${text}T23:59:59.999Z`)
}

function parseTime(text: string): Date | null {
  const [, date, time, zone = 'Z'] = TIME.exec(text) ?? []
  if (!date || !isDate(date)) return null
  const offset = zone.toUpperCase() === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`
  const parsed = new Date(`${date}T${time}${offset}`)
  return Number.isNaN(parsed.getTime()) ? null : parsed
}

/** Rejects dates such as 2026-02-30, which `Date` would move into March. */
function isDate(text: string): boolean {
  const parsed = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text)
}
