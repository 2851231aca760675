import type { Format } from '../../reports/formats.js'
import type { WrittenFile } from '../../reports/report-file.js'
import type { BuildOptions } from '../../reports/xlsx/workbook-writer.js'
import { makeChannelReport } from './channel-report.js'
import type { ReportSource } from './report-input.js'
import { makeRfqReport } from './rfq-report.js'

/** A report to be made. Plain values, so that it can be handed to a thread. */
export interface ReportRequest extends Omit<ReportSource, 'store'> {
  /** The RFQ whose offers are compared; absent: the overview of the channel. */
  rfqId?: string
  /** Absolute path of the file; absent: one named after what it is about, in the channel's folder of reports. */
  out?: string
  /** A workbook unless told. */
  format?: Format
}

/** Makes a report. @throws what `makeRfqReport` and `makeChannelReport` throw, or what `signal` was aborted with */
export type MakeReport = (order: ReportRequest, making?: BuildOptions) => Promise<WrittenFile>

/** Makes reports in this thread, from this store. */
export const makeReportInProcess =
  (store: ReportSource['store']): MakeReport =>
  ({ rfqId, ...order }, making = {}) =>
    rfqId === undefined
      ? makeChannelReport({ ...order, ...making, store })
      : makeRfqReport({ ...order, ...making, store, rfqId })
