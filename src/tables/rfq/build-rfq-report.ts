import { compareOffers, type RfqReport } from '../../compare/report/compare-offers.js'
import { gatherRfqInput, type RfqReportSource } from './report-input.js'

/** A setting names what the RFQ does not have. The message states what it may be. */
class InvalidSettingError extends Error {
  override name = 'InvalidSettingError'
}

/**
 * Builds the offer comparison model of one RFQ as of a moment.
 * @throws UnknownRfqError, InvalidSettingError, StoreError
 */
export async function buildRfqReport(source: RfqReportSource): Promise<RfqReport> {
  const report = compareOffers(await gatherRfqInput(source))
  const { without } = report.settings
  const isUnknown = (number: number) => report.offers.every(({ sequence }) => sequence !== number)
  const unknown = without === null ? [] : `${without}`.split(',').map(Number).filter(isUnknown)
  if (unknown.length === 0) return report
  const known = report.offers.length === 0 ? 'it has none' : `its offers are 1 to ${report.offers.length}`
  throw new InvalidSettingError(`without: the RFQ has no offer ${unknown.join(', ')}; ${known}`)
}
