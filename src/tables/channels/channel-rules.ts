import { daysBetween } from '../../compare/date-math.js'
import { type Calendar, createCalendar, isExpired } from '../../core/time/expiry.js'

/** What lists need to know of the configuration of a channel. */
export interface ChannelRules {
  /** `org/slug`. */
  key: string
  /** IANA name; due dates end at midnight there. */
  timeZone: string
  graceHours: number
  autoClose: 'on' | 'dry-run' | 'off'
}

/** The rules of a channel whose RFQs are stored, but which is no longer configured: nothing closes them. */
const unconfigured = (key: string): ChannelRules => ({ key, timeZone: 'UTC', graceHours: 0, autoClose: 'off' })

/** Finds the rules and the calendar of a channel by its key. */
export const createRulesLookup =
  (channels: readonly ChannelRules[]) =>
  (key: string): ChannelRules & { calendar: Calendar } => {
    const rules = channels.find((channel) => channel.key === key) ?? unconfigured(key)
    return { ...rules, calendar: createCalendar(rules.timeZone) }
  }

/** How many days an RFQ has left, in which time zone, and whether it is open, past due and past the grace period. */
export function dueOf(
  { state, dueDate }: { state: string | null; dueDate: string | null },
  { calendar, graceHours, timeZone }: ReturnType<ReturnType<typeof createRulesLookup>>,
  at: Date,
) {
  return {
    daysToDue: daysBetween(calendar.dateAt(at), dueDate),
    timeZone,
    overdue: state === 'open' && isExpired(dueDate, calendar, graceHours, at),
  }
}
