import type { BuildOptions } from '../../reports/xlsx/workbook-writer.js'
import type { ReportFormat } from '../core/report-format.js'
import type { ReportSource } from '../views/rfq/report-input.js'
import { makeChannelReport } from './channel-report.js'
import type { MadeReport } from './made-report.js'
import type { WriteObserver, WriteOptions } from './report-file.js'
import { makeRfqReport } from './rfq-report.js'

/** A report to make. Plain values only, so that it can be sent to a worker thread. */
export interface ReportRequest extends Omit<ReportSource, 'store'>, WriteOptions {
  /** The RFQ whose offers to compare; without it, the channel overview is made. */
  rfqId?: string
  /** Absolute path of the file; by default a generated name in the channel's report folder. */
  out?: string
  /** Default: `xlsx`. */
  format?: ReportFormat
}

/**
 * Makes a report.
 * @throws as `makeRfqReport` and `makeChannelReport`; the reason of `signal` if it was aborted
 */
export type MakeReport = (request: ReportRequest, options?: BuildOptions & WriteObserver) => Promise<MadeReport>

/** Makes reports in the calling thread, from an open store. */
export const makeReportInProcess =
  (store: ReportSource['store']): MakeReport =>
  async ({ rfqId, ...request }, options = {}) =>
    rfqId === undefined
      ? makeChannelReport({ ...request, ...options, store })
      : makeRfqReport({ ...request, ...options, store, rfqId })
