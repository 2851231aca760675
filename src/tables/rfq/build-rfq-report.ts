import { compareOffers, type RfqReport } from '../../compare/report/compare-offers.js'
import { gatherRfqInput, type RfqReportSource } from './report-input.js'

/**
 * Builds the offer comparison model of one RFQ as of a moment.
 * @throws UnknownRfqError, StoreError
 */
export async function buildRfqReport(source: RfqReportSource): Promise<RfqReport> {
  return compareOffers(await gatherRfqInput(source))
}
