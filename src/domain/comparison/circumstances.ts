import { type Calendar, calendarOf } from '../expiry.js'
import type { CalendarDate, KnownAs, ReportCircumstances } from './input.js'
import type { ReportContext, Source } from './model.js'
import { type Settings, settingsSchema } from './settings.js'

/** What every part of a report reckons with. */
export interface Circumstances {
  context: ReportContext
  asOfDate: CalendarDate
  calendar: Calendar
  settings: Settings
}

/**
 * @throws RangeError for a time zone that is none or an invalid date
 * @throws ZodError for settings out of bounds
 */
export function circumstancesOf(input: ReportCircumstances): Circumstances {
  const calendar = calendarOf(input.timeZone)
  const asOfDate = calendar.dateAt(input.asOf)
  const context: ReportContext = {
    channel: input.channel,
    timeZone: input.timeZone,
    asOf: input.asOf.toISOString(),
    asOfDate,
    generatedAt: input.generatedAt.toISOString(),
    programVersion: input.programVersion,
  }
  return { context, asOfDate, calendar, settings: settingsSchema.parse(input.settings ?? {}) }
}

export function sourceOf(kind: Source['kind'], known: KnownAs): Source {
  const { id, version, contentHash, notBefore, observedAt, runId, valid } = known
  return { kind, id, version, contentHash, notBefore, observedAt, runId, valid }
}
