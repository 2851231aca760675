import type { Settings } from '../../core/decision/settings.js'
import type { Timestamp } from '../../core/time/clock.js'
import { type Calendar, createCalendar } from '../../core/time/expiry.js'
import type { PricesRead, TermsRead } from '../../core/time/read-times.js'
import type { CalendarDate, ReportParameters, VersionMetadata } from './comparison-input.js'

export interface ReportContext {
  channel: string
  timeZone: string
  asOf: Timestamp
  /** The date of the as-of moment in the time zone; all days are counted from it. */
  asOfDate: CalendarDate
  generatedAt: Timestamp
  programVersion: string
  /** The user who requested the report, or another cause, such as `schedule`; null if unknown. */
  madeBy: string | null
  /** When the terms of the offers were read; null if that is not known, as of a past moment. */
  termsRead: TermsRead | null
  /** When the RFQ with the status and prices of its offers was read; null if that is not known, as of a past moment. */
  pricesRead: PricesRead | null
}

/** The observation a figure is derived from. */
export interface Source {
  kind: 'rfq' | 'response' | 'listing'
  id: string
  version: number
  contentHash: string
  notBefore: Timestamp | null
  observedAt: Timestamp
  runId: number
  valid: boolean
}

/** Parameters shared by all parts of a report. */
export interface ComparisonContext {
  report: ReportContext
  asOfDate: CalendarDate
  calendar: Calendar
  settings: Settings
}

/** @throws RangeError for an unknown time zone or an invalid date */
export function createContext(input: ReportParameters): ComparisonContext {
  const calendar = createCalendar(input.timeZone)
  const asOfDate = calendar.dateAt(input.asOf)
  const report: ReportContext = {
    channel: input.channel,
    timeZone: input.timeZone,
    asOf: input.asOf.toISOString(),
    asOfDate,
    generatedAt: input.generatedAt.toISOString(),
    programVersion: input.programVersion,
    madeBy: input.madeBy ?? null,
    termsRead: input.termsRead ?? null,
    pricesRead: input.pricesRead ?? null,
  }
  return { report, asOfDate, calendar, settings: input.settings }
}

export function toSource(kind: Source['kind'], known: VersionMetadata): Source {
  const { id, version, contentHash, notBefore, observedAt, runId, valid } = known
  return { kind, id, version, contentHash, notBefore, observedAt, runId, valid }
}
