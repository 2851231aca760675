import type { BuildOptions } from '../../reports/xlsx/workbook.js'
import type { ChannelReport } from '../compare/channel/summarise-channel.js'
import { summariseChannel } from '../compare/channel/summarise-channel.js'
import { awardLines } from '../tables/awards/award-schema.js'
import { buildRfqReport } from '../tables/rfq/build-rfq-report.js'
import type { RfqReportSource } from '../tables/rfq/report-input.js'
import { gatherChannelInput, type ReportSource } from '../tables/rfq/report-input.js'
import { decisionLines } from '../tables/rfq/rfq-view.js'
import { reportDestination } from './file-names.js'
import type { WriteObserver, WriteOptions, WrittenFile } from './report-file.js'

/** A report to make. Plain values only, so that it can be sent to a worker thread. */
export interface ReportRequest extends Omit<ReportSource, 'store'>, WriteOptions {
  /** The RFQ whose offers to compare; without it, the channel overview is made. */
  rfqId?: string
  /** Absolute path of the file; by default a generated name in the channel's report folder. */
  out?: string
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

/**
 * Writes the offer comparison of one RFQ, as a workbook.
 * @param source.out absolute path of the file; without it, the file gets a name made from RFQ and moment, in the
 *   channel's report folder, and unique among its RFQs
 * @throws as `buildRfqReport`, or an error of the file system; leaves no partial file behind
 */
export async function makeRfqReport(
  source: RfqReportSource & { out?: string } & WriteOptions & BuildOptions,
): Promise<MadeReport> {
  const { writeRfqReport } = await import('./write-report.js') // Heavy, so loaded only when needed.
  const { config, channel, out } = source
  const destination = reportDestination(config, channel.key, out)
  const report = await buildRfqReport(source)
  const ambiguous = out === undefined && (await isAmbiguous(source, report.rfq.number))
  const written = await writeRfqReport(report, destination, { ...source, ambiguous })
  return {
    ...written,
    recommendation: [...awardLines(report.award), ...decisionLines(report.decision)],
  }
}

/** Whether another RFQ has, or had, the same number: the marketplace may reuse one. */
async function isAmbiguous({ store, channel, asOf, rfqId }: RfqReportSource, number: number | null): Promise<boolean> {
  if (number === null) return false
  const match = { text: String(number), kind: 'number', former: true } as const
  const found = await store.rfqs({ channel: channel.key, asOf, match, withoutResponses: true })
  return found.some(({ rfq }) => rfq.id !== rfqId)
}

/**
 * Builds the channel overview model as of a moment.
 * @throws StoreError
 */
export async function buildChannelReport(source: ReportSource): Promise<ChannelReport> {
  return summariseChannel(await gatherChannelInput(source))
}

/**
 * Writes the channel overview, as a workbook.
 * @param source.out absolute path of the file; without it, the file gets a name made from channel and moment, in the
 *   channel's report folder
 * @throws as `buildChannelReport`, or an error of the file system; leaves no partial file behind
 */
export async function makeChannelReport(
  source: ReportSource & { out?: string } & WriteOptions & BuildOptions,
): Promise<MadeReport> {
  const { writeChannelReport } = await import('./write-report.js') // Heavy, so loaded only when needed.
  const { config, channel, out } = source
  const destination = reportDestination(config, channel.key, out)
  const report = await buildChannelReport(source)
  const written = await writeChannelReport(report, destination, source)
  return { ...written, recommendation: [] }
}

/** The file that was written. */
export interface MadeReport extends WrittenFile {
  /** The recommendation of an offer comparison in a few lines; empty for a channel overview. */
  recommendation: string[]
}
