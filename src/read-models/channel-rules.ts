import { type Calendar, createCalendar } from '../core/expiry.js'

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
export function createRulesLookup(
  channels: readonly ChannelRules[],
): (key: string) => ChannelRules & { calendar: Calendar } {
  const known = new Map<string, ChannelRules & { calendar: Calendar }>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const rules = channels.find((channel) => channel.key === key) ?? unconfigured(key)
    const withCalendar = { ...rules, calendar: createCalendar(rules.timeZone) }
    known.set(key, withCalendar)
    return withCalendar
  }
}
