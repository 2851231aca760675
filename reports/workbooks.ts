import type { RfqReport } from '../src/compare/report/compare-offers.js'
import type { Overview } from './overview/overview.js'
import { overviewIdentity, overviewSheets } from './overview/workbook.js'
import { rfqIdentity } from './rfq/layout.js'
import { rfqSheets } from './rfq/workbook.js'
import { type BuildOptions, buildWorkbook, streamWorkbook } from './xlsx/workbook.js'

export { CHANGES, OVERVIEW_LISTS } from './overview/overview.js'

/** The workbook of an RFQ, as the bytes of a file. */
export const rfqWorkbook = (report: RfqReport, options: BuildOptions = {}): Promise<Buffer> =>
  buildWorkbook(rfqSheets(report), rfqIdentity(report), options)

/** The overview of a channel, or of all, which may have 100,000 changes. */
export const overviewWorkbook = (overview: Overview, options: BuildOptions = {}): Promise<Buffer> =>
  streamWorkbook(overviewSheets(overview), overviewIdentity(overview), options)
