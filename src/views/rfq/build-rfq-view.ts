import { compareOffers } from '../../compare/report/compare-offers.js'
import type { RfqReport } from '../../compare/report/rfq-report-model.js'
import { gatherRfqInput, type ReportSource } from './report-input.js'
import { type RfqView, rfqView } from './rfq-view.js'

export interface RfqReportSource extends ReportSource {
  rfqId: string
}

/**
 * Builds the offer comparison model of one RFQ as of a moment.
 * @throws UnknownRfqError, StoreError
 */
export async function buildRfqReport(source: RfqReportSource): Promise<RfqReport> {
  return compareOffers(await gatherRfqInput(source))
}

/**
 * The comparison of the offers for one RFQ as of a moment.
 * @throws UnknownRfqError, StoreError
 */
export async function buildRfqView(source: RfqReportSource): Promise<RfqView> {
  return rfqView(compareOffers(await gatherRfqInput(source, { withHistory: false })))
}
