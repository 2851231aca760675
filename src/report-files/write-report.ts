import {
  type ChannelRenderOptions,
  type RfqRenderOptions,
  renderChannelReport,
  renderRfqReport,
} from '../../reports/formats.js'
import type { ChannelReport } from '../compare/channel/channel-report-model.js'
import type { RfqReport } from '../compare/report/rfq-report-model.js'
import type { ReportFormat } from '../core/report-record.js'
import { channelFileName, rfqFileName } from './file-names.js'
import {
  type Destination,
  destinationPath,
  type WriteObserver,
  type WriteOptions,
  type WrittenFile,
  writeFileAtomically,
} from './report-file.js'

/**
 * Writes the report on an RFQ.
 * @param destination a directory, in which the file is named `rfq-<number>_asof-<YYYYMMDDTHHMMZ>.<format>`, or a file
 * @param options.ambiguous whether another RFQ of the channel has the same number
 * @throws the error of the file system; no partial file is left behind
 */
export async function writeRfqReport(
  report: RfqReport,
  format: ReportFormat,
  destination: Destination,
  options: WriteOptions & WriteObserver & RfqRenderOptions & { ambiguous?: boolean } = {},
): Promise<WrittenFile> {
  const { ambiguous = false } = options
  const name = rfqFileName({ ...report.rfq, ambiguous }, new Date(report.context.asOf), format)
  const path = destinationPath(destination, name)
  return { path, ...(await writeFileAtomically(path, renderRfqReport(report, format, options), options)) }
}

/** Writes the overview of a channel, like `writeRfqReport`. */
export async function writeChannelReport(
  report: ChannelReport,
  format: ReportFormat,
  destination: Destination,
  options: WriteOptions & WriteObserver & ChannelRenderOptions = {},
): Promise<WrittenFile> {
  const { channel, asOf } = report.context
  const path = destinationPath(destination, channelFileName(channel, new Date(asOf), format))
  return { path, ...(await writeFileAtomically(path, renderChannelReport(report, format, options), options)) }
}
