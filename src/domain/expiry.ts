/** A calendar that tells dates in one time zone. */
export interface Calendar {
  readonly timeZone: string
  /** The calendar date, YYYY-MM-DD, that the zone's clocks show at an instant. */
  dateAt(instant: Date): string
}

/**
 * @param timeZone IANA name, e.g. `Europe/Paris`
 * @throws RangeError for a zone that is none
 */
export function createCalendar(timeZone: string): Calendar {
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  return {
    timeZone,
    dateAt(instant) {
      const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]))
      return `${part.year?.padStart(4, '0')}-${part.month}-${part.day}`
    },
  }
}

/**
 * Whether a response due date has ended: the date in the zone, `graceHours` ago, was already after it. Due today is not
 * expired. Dates are compared as text, never through local time (reliability.md, closing policy 2 and 3).
 * @param dueDate YYYY-MM-DD
 * @param graceHours extra hours after the due date has ended
 */
export function isExpired(dueDate: string, calendar: Calendar, graceHours: number, now: Date): boolean {
  const graceEnded = now.getTime() - graceHours * HOUR
  // Clocks put back across midnight show the due date again; half an hour later they tell.
  return [graceEnded, graceEnded + HOUR / 2].every((time) => calendar.dateAt(new Date(time)) > dueDate)
}

/**
 * Whether an offer was submitted after the response due date had ended.
 * @param submittedAt ISO 8601 timestamp
 * @returns null where either is not known
 */
export function isLate(submittedAt: string | null, dueDate: string | null, calendar: Calendar): boolean | null {
  if (submittedAt === null || dueDate === null) return null
  return calendar.dateAt(new Date(submittedAt)) > dueDate
}

const HOUR = 3_600_000
