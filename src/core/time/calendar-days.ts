const DAY_MS = 86_400_000

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
