import { addDays, isCalendarDate } from '../core/time/calendar-days.js'
import { FilterError } from './filter-error.js'

interface MomentContext {
  /** The option or parameter, for messages: `--as-of`. */
  option: string
  now: Date
  /** Which moment a day means: its end, for what was known then, or its start, for what happened since. */
  dayMeans: 'start' | 'end'
}

/**
 * Parses a moment: `2026-01-31`, `2026-01-31T12:00Z`, `now`, `today`, `yesterday` or `2 days ago`. Days, and times without an offset,
 * are in UTC.
 * @throws FilterError for anything else, and for a moment in the future
 */
export function parseMoment(text: string, context: MomentContext): Date {
  const { option, now, dayMeans } = context
  const words = wordsOf(text)
  const moment = words === 'now' ? now : (parseAgo(words, now) ?? parseDay(words, context) ?? parseTime(words))
  if (moment === null)
    throw new FilterError(
      option,
      `Invalid ${option} "${text}". Use a date such as 2026-01-31 (the ${dayMeans} of that day in UTC), a time such as ` +
        '2026-01-31T12:00Z or 2026-01-31T14:00+02:00, or one of: now, today, yesterday, "2 days ago", "3 hours ago"',
    )
  if (moment <= now) return moment
  throw new FilterError(option, `${option} ${text} is in the future. Use a time up to ${now.toISOString()}`)
}

const DAY_MS = 86_400_000
const UNIT_MS = { minute: 60_000, hour: 3_600_000, day: DAY_MS, week: 7 * DAY_MS }

const wordsOf = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase()

function parseAgo(words: string, now: Date): Date | null {
  const [, count, unit] = /^(\d{1,5}) (minute|hour|day|week)s? ago$/.exec(words) ?? []
  return unit === undefined ? null : new Date(now.getTime() - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS])
}

function parseDay(words: string, { now, dayMeans }: MomentContext): Date | null {
  const date = dateOf(words, now)
  if (date === null) return null
  const start = new Date(date)
  if (dayMeans === 'start' || start > now) return start
  return new Date(Math.min(now.getTime(), start.getTime() + DAY_MS - 1))
}

const NAMED_DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 }

/** The date that words mean, or null. */
function dateOf(words: string, now: Date): string | null {
  const [, ahead] = /^in (\d{1,4}) days?$/.exec(words) ?? []
  const days = ahead === undefined ? NAMED_DAYS[words] : Number(ahead)
  if (days !== undefined) return addDays(now.toISOString().slice(0, 10), days)
  return isCalendarDate(words) ? words : null
}

/** A date with a time. */
function parseTime(words: string): Date | null {
  const [, date = '', time = '', offset = 'z'] =
    /^(\d{4}-\d{2}-\d{2})[t ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(z|[+-]\d{2}:\d{2})?$/.exec(words) ?? []
  const parsed = new Date(isCalendarDate(date) ? `${date}T${time}${offset.toUpperCase()}` : Number.NaN)
  return Number.isNaN(parsed.getTime()) ? null : parsed
}

/**
 * Parses a date up to which RFQs are due: `2026-01-31`, `today`, `tomorrow` or `in 7 days`.
 * @throws FilterError for anything else
 */
export function parseDueDate(text: string, { option, now }: Omit<MomentContext, 'dayMeans'>): string {
  const date = dateOf(wordsOf(text), now)
  if (date !== null) return date
  throw new FilterError(
    option,
    `Invalid ${option} "${text}". Use a date such as 2026-01-31, or today, tomorrow, "in 7 days"`,
  )
}
