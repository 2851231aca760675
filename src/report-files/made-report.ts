import type { Settings } from '../core/decision/settings.js'
import type { ReadTimes } from '../core/report-record.js'
import type { WrittenFile } from './report-file.js'

/** The file that was written. */
export interface MadeReport extends WrittenFile {
  /** The recommendation of an offer comparison in a few lines; empty for a channel overview. */
  recommendation: string[]
  /** What it says of when the RFQ was read; null if it is about a past moment, and for a channel overview. */
  readTimes: ReadTimes | null
  /** What it was made with, with the exchange rates that were looked up. */
  settings: Settings
}
