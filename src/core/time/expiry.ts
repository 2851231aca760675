import { addDays, isCalendarDate } from './calendar-days.js'

/** Calendar dates in one time zone. */
export interface Calendar {
  readonly timeZone: string
  /** The local date at an instant, YYYY-MM-DD. */
  dateAt(instant: Date): string
}

const calendars = new Map<string, Calendar>()

/**
 * The calendar of a time zone. Cached, because creating one takes more than ten times as long as using it.
 * @param timeZone IANA name, e.g. `Europe/Paris`
 * @throws RangeError for an unknown time zone
 */
export function createCalendar(timeZone: string): Calendar {
  const made = calendars.get(timeZone)
  if (made) return made
  // Swedish dates are written as in ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  const calendar: Calendar = { timeZone, dateAt: (instant) => format.format(instant).padStart(10, '0') }
  calendars.set(timeZone, calendar)
  return calendar
}

/** Earlier due dates are placeholders of software for "no date", such as 0001-01-01, 1900-01-01 or 1970-01-01. */
export const EARLIEST_DUE_DATE = '2000-01-01'

/**
 * Whether an RFQ is past due: `graceHours` ago, the local date was already later than the due date. An RFQ due today is
 * not past due. Dates are compared as text, never converted to local times (docs/CLOSING.md). Placeholders and texts that are not dates are
 * never past due.
 * @param graceHours hours added after the end of the due date
 */
export function isExpired(dueDate: string | null, calendar: Calendar, graceHours: number, now: Date): boolean {
  if (dueDate === null || dueDate < EARLIEST_DUE_DATE || !isCalendarDate(dueDate)) return false
  const withoutGrace = now.getTime() - graceHours * HOUR_MS
  // A clock set back across midnight repeats the due date, so the date must also have passed half an hour later.
  return [withoutGrace, withoutGrace + HOUR_MS / 2].every((time) => dueDate < calendar.dateAt(new Date(time)))
}

/** The first instant at which the local date is the given one or later. Null if it is not a date. */
export function startOfDate(date: string, calendar: Calendar): Date | null {
  if (!isCalendarDate(date)) return null
  // Local midnight is at most a day from midnight in UTC. Clocks may be set forward over it, so the instant is searched for.
  const midnight = Date.parse(`${date}T00:00Z`)
  let [before, after] = [midnight - DAY_MS, midnight + DAY_MS]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (calendar.dateAt(new Date(middle)) >= date) after = middle
    else before = middle
  }
  return new Date(after)
}

/**
 * The first moment at which the local date is later than the given one.
 * @returns null if it is not a calendar date
 */
export const endOfDate = (date: string, calendar: Calendar): Date | null =>
  isCalendarDate(date) ? startOfDate(addDays(date, 1), calendar) : null

/**
 * Whether an offer was submitted after the response due date.
 * @param submittedAt ISO 8601 timestamp
 * @returns null if either is unknown
 */
export function isLate(submittedAt: string | null, dueDate: string | null, calendar: Calendar): boolean | null {
  if (submittedAt === null || dueDate === null) return null
  // Before the due date begins in UTC, no place is past it; most offers are submitted then.
  if (Date.parse(submittedAt) < Date.parse(dueDate)) return false
  return calendar.dateAt(new Date(submittedAt)) > dueDate
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
