/** Dates and times as clocks in one time zone show them. */
export interface ZonedTime {
  /** IANA name, or `UTC`: the label of every time that is shown. */
  readonly timeZone: string
  /** `2026-01-31`. */
  date(at: Date): string
  /** `2026-01-31 12:00`. */
  minute(at: Date): string
  /** `2026-01-31 12:00:05`. */
  second(at: Date): string
  /**
   * The instants at which clocks show a time: two if clocks are set back over it, none if they are set forward over it.
   * @param date YYYY-MM-DD
   * @param time HH:MM, optionally with seconds and a fraction
   */
  instantsOf(date: string, time: string): Date[]
  /** The first instant of a date. Null if it is not a date. */
  startOf(date: string): Date | null
}

/**
 * @param timeZone IANA name
 * @throws RangeError for an unknown time zone
 */
export function createZonedTime(timeZone: string): ZonedTime {
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  const second = (at: Date): string => {
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
    const date = `${part.year?.padStart(4, '0')}-${part.month}-${part.day}`
    return `${date} ${part.hour}:${part.minute}:${part.second}`
  }
  const date = (at: Date) => second(at).slice(0, 10)
  const instantsOf = (day: string, time: string): Date[] => {
    const asUtc = Date.parse(`${day}T${time}Z`)
    if (Number.isNaN(asUtc)) return []
    // The offsets in force a day before and after: clocks change at most once in between.
    const offsets = [-DAY_MS, DAY_MS].map((shift) => asUtc + shift - wallClock(second(new Date(asUtc + shift))))
    const candidates = [...new Set(offsets)].map((offset) => asUtc + Math.round(offset / MINUTE_MS) * MINUTE_MS)
    const wanted = Math.floor(asUtc / 1000)
    return candidates
      .filter((at) => Math.floor(wallClock(second(new Date(at))) / 1000) === wanted)
      .sort((a, b) => a - b)
      .map((at) => new Date(at))
  }
  return {
    timeZone,
    date,
    minute: (at) => second(at).slice(0, 16),
    second,
    instantsOf,
    startOf: (day) => firstInstantOf(day, date),
  }
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** What a clock shows, expressed as if it were UTC. */
const wallClock = (shown: string): number => Date.parse(`${shown.replace(' ', 'T')}Z`)

/**
 * The first instant at which the local date is the given one or later. Null if it is not a date.
 * @param dateAt the local date at an instant
 */
export function firstInstantOf(day: string, dateAt: (instant: Date) => string): Date | null {
  if (!isCalendarDate(day)) return null
  // Local midnight is at most a day from midnight in UTC. Clocks may be set forward over it, so the instant is searched for.
  const midnight = Date.parse(`${day}T00:00Z`)
  let [before, after] = [midnight - DAY_MS, midnight + DAY_MS]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (dateAt(new Date(middle)) >= day) after = middle
    else before = middle
  }
  return new Date(after)
}

/** Whether a text is an existing date: 2026-02-30, which `Date` would move into March, is not. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const parsed = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text)
}

/** A date some days later, or earlier. */
export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
