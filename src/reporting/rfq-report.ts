import type { Format } from '../../reports/formats.js'
import type { WrittenFile } from '../../reports/report-file.js'
import type { BuildOptions } from '../../reports/xlsx/workbook-writer.js'
import { compareOffers } from '../domain/comparison/report/compare-offers.js'
import type { RfqReport } from '../domain/comparison/report/rfq-report-model.js'
import { reportDestination } from './report-destination.js'
import { gatherRfqInput, type ReportSource } from './report-input.js'

export interface RfqReportSource extends ReportSource {
  rfqId: string
}

/**
 * The comparison of the offers for one RFQ, as known at a moment.
 * @throws UnknownRfqError, StoreError
 */
export async function buildRfqReport(source: RfqReportSource): Promise<RfqReport> {
  return compareOffers(await gatherRfqInput(source))
}

/**
 * Writes the offer comparison of one RFQ, as a workbook unless another format is asked for.
 * @param source.out absolute path of the file; else it is named after RFQ and moment, in the channel's folder of reports,
 *   unlike that of any other RFQ of the channel
 * @throws as `rfqReport`, and the error of the file system; nothing is left behind then
 */
export async function makeRfqReport(
  source: RfqReportSource & { out?: string; format?: Format } & BuildOptions,
): Promise<WrittenFile> {
  const { writeRfqReport } = await import('../../reports/formats.js') // Heavy: only when one is written.
  const { config, channel, out, format = 'xlsx' } = source
  const destination = reportDestination(config, channel.key, out)
  const report = await buildRfqReport(source)
  const ambiguous = out === undefined && (await isAmbiguous(source, report.rfq.number))
  return writeRfqReport(report, format, destination, { ...source, ambiguous })
}

/** Numbers may be given twice, or anew: whether this one finds another RFQ as well, now or by what it once was. */
async function isAmbiguous({ store, channel, asOf, rfqId }: RfqReportSource, number: number | null): Promise<boolean> {
  if (number === null) return false
  const found = await store.rfqs({ channel: channel.key, asOf, match: String(number), withoutResponses: true })
  return found.some(({ rfq }) => rfq.id !== rfqId)
}
