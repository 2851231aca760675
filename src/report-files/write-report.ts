import { channelWorkbook, rfqWorkbook } from '../../reports/workbooks.js'
import type { BuildOptions } from '../../reports/xlsx/workbook.js'
import type { ChannelReport } from '../compare/channel/summarise-channel.js'
import type { RfqReport } from '../compare/report/compare-offers.js'
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
 * Writes the workbook of an RFQ.
 * @param destination a directory, in which the file is named `rfq-<number>_asof-<YYYYMMDDTHHMMZ>.xlsx`, or a file
 * @param options.ambiguous whether another RFQ of the channel has the same number
 * @throws the error of the file system; no partial file is left behind
 */
export async function writeRfqReport(
  report: RfqReport,
  destination: Destination,
  options: WriteOptions & WriteObserver & BuildOptions & { ambiguous?: boolean } = {},
): Promise<WrittenFile> {
  const { ambiguous = false } = options
  const path = destinationPath(destination, rfqFileName({ ...report.rfq, ambiguous }, new Date(report.context.asOf)))
  return { path, ...(await writeFileAtomically(path, await rfqWorkbook(report, options), options)) }
}

/** Writes the overview of a channel, like `writeRfqReport`. */
export async function writeChannelReport(
  report: ChannelReport,
  destination: Destination,
  options: WriteOptions & WriteObserver & BuildOptions = {},
): Promise<WrittenFile> {
  const { channel, asOf } = report.context
  const path = destinationPath(destination, channelFileName(channel, new Date(asOf)))
  return { path, ...(await writeFileAtomically(path, await channelWorkbook(report, options), options)) }
}
