import { addDays, isCalendarDate } from '../core/time/calendar-days.js'

/** A text that is not a moment, or one in the future. The message says what was found and what is allowed. */
export class MomentError extends Error {
  override name = 'MomentError'
  constructor(
    message: string,
    readonly isFuture = false,
  ) {
    super(message)
  }
}

export interface MomentContext {
  /** The option or parameter, for messages: `--as-of`. */
  option: string
  now: Date
  /** Which moment a day means: its end, for what was known then, or its start, for what happened since. */
  dayMeans: 'start' | 'end'
}

/**
 * Parses a moment: `2026-01-31`, `2026-01-31T12:00Z`, `now`, `today`, `yesterday`, `Monday`, `2 days ago`, or a day with a
 * time, such as `yesterday 14:00`. Days, and times without an offset, are in UTC.
 * @throws {MomentError} for anything else, for what can mean two moments, and for a moment in the future
 */
export function parseMoment(text: string, context: MomentContext): Date {
  const { option, now } = context
  const words = text.trim().replace(/\s+/g, ' ').toLowerCase()
  const moment = words === 'now' ? now : (parseAgo(words, context) ?? parseDay(words, context) ?? parseTime(text))
  if (moment === null)
    throw new MomentError(`Invalid ${option} "${text}". Use ${hint(words, context)}${expected(context)}`)
  if (moment.getTime() <= now.getTime()) return moment
  throw new MomentError(`${option} ${text} is in the future. Use a time up to ${now.toISOString()}`, true)
}

/** The form for a day with words that are no time: `yesterday evening`. */
function hint(words: string, context: MomentContext): string {
  const [, day = ''] = /^((?:last )?\S+) /.exec(words) ?? []
  return dateOf(day, context) === null ? '' : `a time of day such as "${day} 18:00"; or `
}

const expected = ({ dayMeans }: MomentContext) =>
  `a date such as 2026-01-31 (the ${dayMeans} of that day in UTC), a time such as 2026-01-31T12:00Z or ` +
  '2026-01-31T14:00+02:00, or one of: now, today, yesterday, yesterday 14:00, Monday, "2 days ago", "3 hours ago"'

const DAY_MS = 86_400_000
const dateAt = (at: Date): string => at.toISOString().slice(0, 10)

const AGO = /^(an?|one|\d{1,5}) (minute|hour|day|week)s? ago$/
const UNIT_MS = { minute: 60_000, hour: 3_600_000, day: DAY_MS, week: 7 * DAY_MS }

function parseAgo(words: string, { now }: MomentContext): Date | null {
  const [, count = '', unit = ''] = AGO.exec(words) ?? []
  if (unit === '') return null
  return new Date(now.getTime() - (/^\d/.test(count) ? Number(count) : 1) * UNIT_MS[unit as keyof typeof UNIT_MS])
}

const DAY = /^(\S+|last \S+)(?: (?:at )?(\d{1,2}:\d{2}))?$/

/** A day, or a day with a time. */
function parseDay(words: string, context: MomentContext): Date | null {
  const [, name = '', time] = DAY.exec(words) ?? []
  const date = dateOf(name, context)
  if (date === null) return null
  const { dayMeans, now } = context
  if (time !== undefined) return timeOn(date, time.padStart(5, '0'))
  const start = new Date(date)
  if (dayMeans === 'start' || date > dateAt(now)) return start
  return date === dateAt(now) ? now : new Date(start.getTime() + DAY_MS - 1)
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** The date that a word means, or null. */
function dateOf(name: string, { option, now }: MomentContext): string | null {
  const today = dateAt(now)
  if (isCalendarDate(name)) return name
  if (name === 'today') return today
  if (name === 'yesterday') return addDays(today, -1)
  if (name === 'tomorrow') return addDays(today, 1)
  const day = name.replace(/^last /, '')
  const weekday = WEEKDAYS.findIndex((each) => day === each || day === each.slice(0, 3))
  if (weekday === -1) return null
  const back = (now.getUTCDay() - weekday + 7) % 7
  if (back > 0) return addDays(today, -back)
  if (day !== name) return addDays(today, -7)
  throw new MomentError(
    `${option} ${name} can mean today or a week ago, because today is ${name}. Use today, or ${addDays(today, -7)}`,
  )
}

const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?$/i

/** A date with a time. */
function parseTime(text: string): Date | null {
  const [, date = '', time = '', offset = 'Z'] = TIME.exec(text.trim()) ?? []
  return isCalendarDate(date) ? timeOn(date, time, offset.replace(/^(...)(\d\d)$/, '$1:$2').toUpperCase()) : null
}

function timeOn(date: string, time: string, offset = 'Z'): Date | null {
  const parsed = new Date(`${date}T${time}${offset}`)
  return Number.isNaN(parsed.getTime()) ? null : parsed
}

/**
 * Parses a date up to which RFQs are due: `2026-01-31`, `today`, `tomorrow` or `in 7 days`.
 * @throws {MomentError} for anything else
 */
export function parseDueDate(text: string, { option, now }: Omit<MomentContext, 'dayMeans'>): string {
  const words = text.trim().replace(/\s+/g, ' ').toLowerCase()
  const [, count, unit] = /^in (\d{1,4}) (day|week)s?$/.exec(words) ?? []
  if (count !== undefined) return addDays(dateAt(now), Number(count) * (unit === 'week' ? 7 : 1))
  if (words === 'today' || words === 'tomorrow') return addDays(dateAt(now), words === 'today' ? 0 : 1)
  if (isCalendarDate(words)) return words
  throw new MomentError(`Invalid ${option} "${text}". Use a date such as 2026-01-31, or today, tomorrow, "in 7 days"`)
}
