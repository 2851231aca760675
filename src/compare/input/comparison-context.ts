import type { KnownDocument } from '../../core/records.js'
import { createCalendar } from '../../core/time/expiry.js'
import type { ReportParameters } from './comparison-input.js'

/** Parameters shared by all parts of a report. @throws RangeError for an unknown time zone or an invalid date */
export function createContext(input: ReportParameters) {
  const calendar = createCalendar(input.timeZone)
  const asOfDate = calendar.dateAt(input.asOf)
  const report = {
    channel: input.channel,
    timeZone: input.timeZone,
    asOf: input.asOf.toISOString(),
    /** The date of the as-of moment in the time zone; all days are counted from it. */
    asOfDate,
    generatedAt: input.generatedAt.toISOString(),
    programVersion: input.programVersion,
    madeBy: input.madeBy ?? null,
    termsRead: input.termsRead ?? null,
    pricesRead: input.pricesRead ?? null,
  }
  return { report, asOfDate, calendar, settings: input.settings }
}

export type ComparisonContext = ReturnType<typeof createContext>
export type ReportContext = ComparisonContext['report']

/** The observation a figure is derived from. */
export function toSource(kind: 'rfq' | 'response' | 'listing', known: KnownDocument) {
  const { id, version, contentHash, notBefore, observedAt, runId, valid } = known
  return { kind, id, version, contentHash, notBefore, observedAt, runId, valid }
}
export type Source = ReturnType<typeof toSource>
