import type { Format } from '../../reports/formats.js'
import type { WrittenFile } from '../../reports/report-file.js'
import type { BuildOptions } from '../../reports/xlsx/workbook-writer.js'
import type { ChannelReport } from '../domain/comparison/channel/channel-report-model.js'
import { summariseChannel } from '../domain/comparison/channel/summarise-channel.js'
import { reportDestination } from './report-destination.js'
import { gatherChannelInput, type ReportSource } from './report-input.js'

/**
 * The overview of a channel, as known at a moment.
 * @throws StoreError
 */
export async function buildChannelReport(source: ReportSource): Promise<ChannelReport> {
  return summariseChannel(await gatherChannelInput(source))
}

/**
 * Writes the overview of a channel, as a workbook unless another format is asked for.
 * @param source.out absolute path of the file; else it is named after channel and moment, in its folder of reports
 * @throws as `channelReport`, and the error of the file system; nothing is left behind then
 */
export async function makeChannelReport(
  source: ReportSource & { out?: string; format?: Format } & BuildOptions,
): Promise<WrittenFile> {
  const { writeChannelReport } = await import('../../reports/formats.js') // Heavy: only when one is written.
  const { config, channel, out, format = 'xlsx' } = source
  const destination = reportDestination(config, channel.key, out)
  return writeChannelReport(await buildChannelReport(source), format, destination, source)
}
