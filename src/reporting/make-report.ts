import type { Format } from '../../reports/formats.js'
import type { BuildOptions } from '../../reports/xlsx/workbook-writer.js'
import { makeChannelReport } from './channel-report.js'
import type { WrittenFile } from './report-file.js'
import type { ReportSource } from './report-input.js'
import { makeRfqReport } from './rfq-report.js'

/** A report to make. Plain values only, so that it can be sent to a worker thread. */
export interface ReportRequest extends Omit<ReportSource, 'store'> {
  /** The RFQ whose offers to compare; without it, the channel overview is made. */
  rfqId?: string
  /** Absolute path of the file; by default a generated name in the channel's report folder. */
  out?: string
  /** Fail if the file exists, instead of replacing it. */
  mustBeNew?: boolean
  /** Default: `xlsx`. */
  format?: Format
}

/** The file that was written. */
export interface MadeReport extends WrittenFile {
  /** The recommendation of an offer comparison in a few lines; empty for a channel overview. */
  recommendation: string[]
}

/**
 * Makes a report.
 * @throws as `makeRfqReport` and `makeChannelReport`; the reason of `signal` if it was aborted
 */
export type MakeReport = (request: ReportRequest, options?: BuildOptions) => Promise<MadeReport>

/** Makes reports in the calling thread, from an open store. */
export const makeReportInProcess =
  (store: ReportSource['store']): MakeReport =>
  async ({ rfqId, ...request }, options = {}) =>
    rfqId === undefined
      ? { ...(await makeChannelReport({ ...request, ...options, store })), recommendation: [] }
      : makeRfqReport({ ...request, ...options, store, rfqId })
