import type { BuildOptions } from '../../reports/xlsx/workbook-writer.js'
import type { ChannelReport } from '../compare/channel/channel-report-model.js'
import { summariseChannel } from '../compare/channel/summarise-channel.js'
import type { ReportFormat } from '../core/report-format.js'
import { gatherChannelInput, type ReportSource } from '../views/rfq/report-input.js'
import type { MadeReport } from './made-report.js'
import { reportDestination } from './report-destination.js'
import type { WriteOptions } from './report-file.js'

/**
 * Builds the channel overview model as of a moment.
 * @throws StoreError
 */
export async function buildChannelReport(source: ReportSource): Promise<ChannelReport> {
  return summariseChannel(await gatherChannelInput(source))
}

/**
 * Writes the channel overview, as a workbook unless another format is requested.
 * @param source.out absolute path of the file; without it, the file gets a name made from channel and moment, in the
 *   channel's report folder
 * @throws as `buildChannelReport`, or an error of the file system; leaves no partial file behind
 */
export async function makeChannelReport(
  source: ReportSource & { out?: string; format?: ReportFormat } & WriteOptions & BuildOptions,
): Promise<MadeReport> {
  const { writeChannelReport } = await import('./write-report.js') // Heavy, so loaded only when needed.
  const { config, channel, out, format = 'xlsx' } = source
  const destination = reportDestination(config, channel.key, out)
  const report = await buildChannelReport(source)
  const written = await writeChannelReport(report, format, destination, source)
  return { ...written, settings: report.settings, recommendation: [], readTimes: null }
}
