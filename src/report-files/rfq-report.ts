import type { BuildOptions } from '../../reports/xlsx/workbook-writer.js'
import type { ReportFormat } from '../core/report-format.js'
import { awardLines } from '../views/awards/award-lines.js'
import { buildRfqReport, type RfqReportSource } from '../views/rfq/build-rfq-view.js'
import { recommendationLines } from '../views/rfq/rfq-view.js'
import type { MadeReport } from './made-report.js'
import { reportDestination } from './report-destination.js'
import type { WriteOptions } from './report-file.js'

/**
 * Writes the offer comparison of one RFQ, as a workbook unless another format is requested.
 * @param source.out absolute path of the file; without it, the file gets a name made from RFQ and moment, in the
 *   channel's report folder, and unique among its RFQs
 * @throws as `buildRfqReport`, or an error of the file system; leaves no partial file behind
 */
export async function makeRfqReport(
  source: RfqReportSource & { out?: string; format?: ReportFormat } & WriteOptions & BuildOptions,
): Promise<MadeReport> {
  const { writeRfqReport } = await import('./write-report.js') // Heavy, so loaded only when needed.
  const { config, channel, out, format = 'xlsx' } = source
  const destination = reportDestination(config, channel.key, out)
  const report = await buildRfqReport(source)
  const ambiguous = out === undefined && (await isAmbiguous(source, report.rfq.number))
  const written = await writeRfqReport(report, format, destination, { ...source, ambiguous })
  const { termsRead, pricesRead, listed, newerSummaries } = report.context
  const isKnown = termsRead !== null || pricesRead !== null || listed !== null
  const readTimes = isKnown
    ? { termsRead, pricesRead, ...(listed && { listed }), ...(newerSummaries && { newerSummaries }) }
    : null
  return {
    ...written,
    readTimes,
    settings: report.settings,
    recommendation: [...awardLines(report.award), ...recommendationLines(report.decision)],
  }
}

/** Whether another RFQ has, or had, the same number: the marketplace may reuse one. */
async function isAmbiguous({ store, channel, asOf, rfqId }: RfqReportSource, number: number | null): Promise<boolean> {
  if (number === null) return false
  const match = { text: String(number), kind: 'number', former: true } as const
  const found = await store.rfqs({ channel: channel.key, asOf, match, withoutResponses: true })
  return found.some(({ rfq }) => rfq.id !== rfqId)
}
