import type { Written } from '../reports/file.js'
import type { Format } from '../reports/formats.js'
import type { RfqReport } from '../src/domain/comparison/model.js'
import { compareOffers } from '../src/domain/comparison/report.js'
import { reportDestination } from './report-destination.js'
import { type ReportSource, rfqInput } from './report-input.js'

export interface RfqReportSource extends ReportSource {
  rfqId: string
}

/**
 * The comparison of the offers for one RFQ, as known at a moment.
 * @throws UnknownRfqError, StoreError
 */
export async function rfqReport(source: RfqReportSource): Promise<RfqReport> {
  return compareOffers(await rfqInput(source))
}

/**
 * Writes the offer comparison of one RFQ, as a workbook unless another format is asked for.
 * @param source.out absolute path of the file; else it is named after RFQ and moment, in the channel's folder of reports
 * @throws as `rfqReport`, and the error of the file system; nothing is left behind then
 */
export async function makeRfqReport(
  source: RfqReportSource & { out?: string; format?: Format; signal?: AbortSignal },
): Promise<Written> {
  const { writeRfqReport } = await import('../reports/formats.js') // Heavy: only when one is written.
  const { config, channel, out, format = 'xlsx', signal } = source
  const destination = reportDestination(config, channel.key, out)
  return writeRfqReport(await rfqReport(source), format, destination, signal ? { signal } : {})
}
