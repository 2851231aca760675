import { UsageError } from './cli-error.js'

const ALLOWED_FORMS =
  'a date (2026-01-31, the end of that day in UTC) or a time (2026-01-31T12:00Z, 2026-01-31T14:00+02:00)'
const DATE = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?$/i

/**
 * Reads `--as-of`: a date means the end of that day in UTC (today: now); a time without a zone is UTC.
 * @throws {UsageError} for anything else, and for a moment that is still to come
 */
export function parseAsOf(text: string, now: Date): Date {
  const asOf = DATE.test(text) ? parseDate(text, now) : parseTime(text)
  if (!asOf) throw new UsageError(`--as-of "${text}" is no moment; allowed: ${ALLOWED_FORMS}`)
  if (asOf.getTime() > now.getTime()) {
    throw new UsageError(`--as-of ${text} is still to come; the newest moment there is: ${now.toISOString()}`)
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
  const moment = new Date(`${date}T${time}${offset}`)
  return Number.isNaN(moment.getTime()) ? null : moment
}

/** Refuses 2026-02-30, which Date would move into March. */
function isDate(text: string): boolean {
  const moment = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text)
}
