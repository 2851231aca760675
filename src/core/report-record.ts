import type { Settings } from './decision/settings.js'
import type { NewerSummaries, PricesRead, TermsRead } from './sources/offer-sources.js'
import type { ListDiff } from './sources/sources.js'
import type { Timestamp } from './time/clock.js'

/**
 * A report that was written to the report folder, with everything besides the history that it was made from: any process can
 * regenerate the same file and prove it by its hash.
 */
export interface ReportRecord {
  /** `acme_forest/rfq-1042_asof-20260131T1200Z.xlsx`: relative to the report folder, with `/`. */
  name: string
  channel: string
  /** Null for the overview of a channel. */
  rfqId: string | null
  format: ReportFormat
  asOf: Timestamp
  madeAt: Timestamp
  /** Who requested it, or another cause. */
  madeBy: string | null
  programVersion: string
  /** IANA name. */
  timeZone: string
  settings: Settings
  /** When the RFQ was read, as stated in the report; null if it is about a past moment. */
  readTimes: ReadTimes | null
  /** Of the file, in lower-case hexadecimal digits. */
  sha256: string
  bytes: number
}

/** A report as lists show it. */
export type ListedReport = Pick<ReportRecord, 'name' | 'bytes' | 'madeAt' | 'madeBy' | 'sha256'>

/** When what a report on the present shows was read. Later reads change what the store says of that. */
export interface ReadTimes {
  termsRead: TermsRead | null
  pricesRead: PricesRead | null
  /** How a newer list differed from the RFQ; null, or absent in older records, if it did not. */
  listed?: ListDiff | null
  /** Offers whose summaries in the RFQ were newer than what was read of them; null, or absent in older records, if none. */
  newerSummaries?: NewerSummaries | null
}

/** The formats of reports. `csv` contains one table; the others contain the whole report. */
export const REPORT_FORMATS = ['xlsx', 'csv', 'json', 'html'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]
