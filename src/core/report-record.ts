import type { Timestamp } from './time/clock.js'

/** A report that was written to the report folder. */
export interface ReportRecord {
  /** `acme_forest/rfq-1042_asof-20260131T1200Z.xlsx`: relative to the report folder, with `/`. */
  name: string
  channel: string
  /** Null for the overview of a channel. */
  rfqId: string | null
  asOf: Timestamp
  madeAt: Timestamp
  /** Who requested it, or another cause. */
  madeBy: string | null
  /** Of the file, in lower-case hexadecimal digits. */
  sha256: string
  bytes: number
}
