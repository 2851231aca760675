import { addDays, createZonedTime, isCalendarDate, type ZonedTime } from '../core/time/zoned-time.js'

/** The time zone of days on pages and in the API. */
export const UTC: ZonedTime = createZonedTime('UTC')

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
  /** The time zone of days, and of times without an offset. */
  zone: ZonedTime
  /** Which moment a day means: its end, for what was known then, or its start, for what happened since. */
  dayMeans: 'start' | 'end'
}

/**
 * Parses a moment: `2026-01-31`, `2026-01-31T12:00Z`, `now`, `today`, `yesterday`, `Monday`, `2 days ago`, or a day with a
 * time, such as `yesterday 14:00`.
 * @throws {MomentError} for anything else, for what can mean two moments, and for a moment in the future
 */
export function parseMoment(text: string, context: MomentContext): Date {
  const { option, now } = context
  const words = text.trim().replace(/\s+/g, ' ').toLowerCase()
  const moment =
    words === 'now' ? now : (parseAgo(words, context) ?? parseDay(words, context) ?? parseTime(text, context))
  if (moment === null) throw new MomentError(`Invalid ${option} "${text}". Use ${expected(context)}`)
  if (moment.getTime() <= now.getTime()) return moment
  throw new MomentError(`${option} ${text} is in the future. Use a time up to ${now.toISOString()}`, true)
}

const expected = ({ dayMeans, zone }: MomentContext) =>
  `a date such as 2026-01-31 (the ${dayMeans} of that day in ${zone.timeZone}), a time such as 2026-01-31T12:00Z or ` +
  '2026-01-31T14:00+02:00, or one of: now, today, yesterday, yesterday 14:00, Monday, "2 days ago", "3 hours ago"'

const AGO = /^(an?|one|\d{1,5}) (minute|hour|day|week)s? ago$/
const UNIT_MS = { minute: 60_000, hour: 3_600_000 }

function parseAgo(words: string, { now, zone }: MomentContext): Date | null {
  const [, count = '', unit = ''] = AGO.exec(words) ?? []
  if (unit === '') return null
  const number = /^\d/.test(count) ? Number(count) : 1
  if (unit === 'minute' || unit === 'hour') return new Date(now.getTime() - number * UNIT_MS[unit])
  const days = unit === 'week' ? number * 7 : number
  const [date = '', time = ''] = zone.second(now).split(' ')
  // At the same time of that day; where clocks skipped it, as many times 24 hours ago.
  return zone.instantsOf(addDays(date, -days), time)[0] ?? new Date(now.getTime() - days * 24 * UNIT_MS.hour)
}

const DAY = /^(\S+|last \S+)(?: (?:at )?(\d{1,2}:\d{2}))?$/

/** A day, or a day with a time. */
function parseDay(words: string, context: MomentContext): Date | null {
  const [, name = '', time] = DAY.exec(words) ?? []
  const date = dateOf(name, context)
  if (date === null) return null
  const { zone, dayMeans, now } = context
  if (time !== undefined) return timeOn(date, time.padStart(5, '0'), context)
  if (dayMeans === 'start') return zone.startOf(date)
  const today = zone.date(now)
  if (date >= today) return date === today ? now : zone.startOf(date)
  const next = zone.startOf(addDays(date, 1))
  return next === null ? null : new Date(next.getTime() - 1)
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** The date that a word means, or null. */
function dateOf(name: string, { option, now, zone }: MomentContext): string | null {
  const today = zone.date(now)
  if (isCalendarDate(name)) return name
  if (name === 'today') return today
  if (name === 'yesterday') return addDays(today, -1)
  if (name === 'tomorrow') return addDays(today, 1)
  const day = name.replace(/^last /, '')
  const weekday = WEEKDAYS.findIndex((each) => day === each || day === each.slice(0, 3))
  if (weekday === -1) return null
  const back = (new Date(`${today}T00:00:00Z`).getUTCDay() - weekday + 7) % 7
  if (back > 0) return addDays(today, -back)
  if (day !== name) return addDays(today, -7)
  throw new MomentError(
    `${option} ${name} can mean today or a week ago, because today is ${name}. Use today, or ${addDays(today, -7)}`,
  )
}

const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?$/i

/** A date with a time; without an offset, in the time zone. */
function parseTime(text: string, context: MomentContext): Date | null {
  const [, date, time, offset] = TIME.exec(text.trim()) ?? []
  if (!date || !time || !isCalendarDate(date)) return null
  if (offset === undefined) return timeOn(date, time, context)
  const parsed = new Date(`${date}T${time}${/^z$/i.test(offset) ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(-2)}`}`)
  return Number.isNaN(parsed.getTime()) ? null : parsed
}

function timeOn(date: string, time: string, { option, zone }: MomentContext): Date | null {
  if (Number.isNaN(Date.parse(`${date}T${time}Z`))) return null
  const instants = zone.instantsOf(date, time)
  const [only] = instants
  if (only && instants.length === 1) return only
  const why = only ? 'occurs twice' : 'does not occur'
  throw new MomentError(
    `${option} ${date} ${time} ${why} in ${zone.timeZone}, because clocks are changed. Add an offset, such as ${date}T${time}Z`,
  )
}

/**
 * Parses a date up to which RFQs are due: `2026-01-31`, `today`, `tomorrow` or `in 7 days`.
 * @throws {MomentError} for anything else
 */
export function parseDueDate(text: string, { option, now, zone }: Omit<MomentContext, 'dayMeans'>): string {
  const words = text.trim().replace(/\s+/g, ' ').toLowerCase()
  const [, count, unit] = /^in (\d{1,4}) (day|week)s?$/.exec(words) ?? []
  if (count !== undefined) return addDays(zone.date(now), Number(count) * (unit === 'week' ? 7 : 1))
  if (words === 'today' || words === 'tomorrow') return addDays(zone.date(now), words === 'today' ? 0 : 1)
  if (isCalendarDate(words)) return words
  throw new MomentError(`Invalid ${option} "${text}". Use a date such as 2026-01-31, or today, tomorrow, "in 7 days"`)
}
