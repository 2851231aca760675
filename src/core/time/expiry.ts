import { addDays, firstInstantOf, isCalendarDate } from './calendar-days.js'

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
  const calendar = calendars.get(timeZone) ?? newCalendar(timeZone)
  calendars.set(timeZone, calendar)
  return calendar
}

function newCalendar(timeZone: string): Calendar {
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  const formatted = (instant: Date) => {
    const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]))
    return `${part.year?.padStart(4, '0')}-${part.month}-${part.day}`
  }
  // Formatting is slow, and most calls are about the present minute.
  let newest = { minute: Number.NaN, date: '' }
  return {
    timeZone,
    dateAt(instant) {
      if (!(instant.getTime() >= WHOLE_MINUTES_SINCE)) return formatted(instant)
      const minute = Math.floor(instant.getTime() / MINUTE_MS)
      if (newest.minute !== minute) newest = { minute, date: formatted(instant) }
      return newest.date
    },
  }
}

const MINUTE_MS = 60_000
/** Since then, local dates change at whole minutes of UTC in all time zones. */
const WHOLE_MINUTES_SINCE = Date.UTC(1973, 0, 1)

/** Earlier due dates are placeholders of software for "no date", such as 0001-01-01, 1900-01-01 or 1970-01-01. */
export const EARLIEST_DUE_DATE = '2000-01-01'

/**
 * Whether an RFQ is past due: `graceHours` ago, the local date was already later than the due date. An RFQ due today is
 * not past due. Dates are compared as text, never converted to local times (docs/CLOSING.md).
 * @param dueDate YYYY-MM-DD
 * @param graceHours hours added after the end of the due date
 */
export function isExpired(dueDate: string, calendar: Calendar, graceHours: number, now: Date): boolean {
  return dueDate < expiredBefore(calendar, graceHours, now)
}

/** The date before which due dates are past due. */
function expiredBefore(calendar: Calendar, graceHours: number, now: Date): string {
  const withoutGrace = now.getTime() - graceHours * HOUR_MS
  // A clock set back across midnight repeats the due date, so the date must also have passed half an hour later.
  const dates = [withoutGrace, withoutGrace + HOUR_MS / 2].map((time) => calendar.dateAt(new Date(time)))
  return dates.reduce((earliest, date) => (date < earliest ? date : earliest))
}

/**
 * Creates the test whether open RFQs with some due dates are past due. It is cheap for each of them. Placeholders and texts that
 * are not dates are never past due: closing ignores them too.
 */
export function createOverdueTest(
  calendar: Calendar,
  graceHours: number,
  now: Date,
): (dueDate: string | null) => boolean {
  const before = expiredBefore(calendar, graceHours, now)
  return (dueDate) => dueDate !== null && dueDate >= EARLIEST_DUE_DATE && dueDate < before && isCalendarDate(dueDate)
}

/**
 * The first moment at which the local date is later than the given one.
 * @returns null if it is not a calendar date
 */
export const endOfDate = (date: string, calendar: Calendar): Date | null =>
  isCalendarDate(date) ? firstInstantOf(addDays(date, 1), (instant) => calendar.dateAt(instant)) : null

/**
 * Whether an offer was submitted after the response due date.
 * @param submittedAt ISO 8601 timestamp
 * @returns null if either is unknown
 */
export function isLate(submittedAt: string | null, dueDate: string | null, calendar: Calendar): boolean | null {
  if (submittedAt === null || dueDate === null) return null
  // A local date is within a day of that of UTC, which takes a fraction of the time to compare.
  const after = Date.parse(submittedAt) - Date.parse(dueDate)
  if (after >= 2 * DAY_MS) return true
  if (after < -DAY_MS) return false
  return calendar.dateAt(new Date(submittedAt)) > dueDate
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
