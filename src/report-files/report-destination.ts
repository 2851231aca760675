import { join } from 'node:path'
import type { ReportConfig } from '../views/rfq/report-input.js'
import { shortHash, slug } from './file-names.js'
import type { Destination } from './report-file.js'

/**
 * Where to write a report: to the requested file, else into the channel's own folder, because RFQs of different channels
 * may have the same number.
 * @param channel `org/slug`
 * @param out absolute path of the requested file
 */
export function reportDestination(config: ReportConfig, channel: string, out?: string): Destination {
  return out === undefined ? { directory: reportFolder(config, channel) } : { file: out }
}

/** The folder of a channel's reports. */
export const reportFolder = (config: ReportConfig, channel: string): string =>
  join(config.reports.directory, channelFolder(channel))

/** `acme_forest`; plus a short hash if a name had to be simplified, so that two channels never share a folder. */
function channelFolder(channel: string): string {
  const [org = '', ...rest] = channel.split('/')
  const parts = [org, rest.join('/')]
  const names = parts.map((part) => slug(part, 'unnamed'))
  if (names.every((name, index) => name === parts[index])) return names.join('_')
  return [...names, shortHash(channel)].join('_')
}
