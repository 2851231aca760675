import { join } from 'node:path'
import { shortHash, slug } from '../../reports/file-names.js'
import type { Destination } from '../../reports/report-file.js'
import type { ReportConfig } from './report-input.js'

/**
 * Where a report of a channel goes: to the file that was named, else into a folder of the channel's own, because RFQs of
 * two channels may share a number.
 * @param channel `org/slug`
 * @param out absolute path of a file
 */
export function reportDestination(config: ReportConfig, channel: string, out?: string): Destination {
  return out === undefined ? { directory: join(config.reports.directory, channelFolder(channel)) } : { file: out }
}

/** `acme_forest`; with a part of its hash where a name is not plain, so that two channels never share a folder. */
function channelFolder(channel: string): string {
  const [org = '', ...rest] = channel.split('/')
  const parts = [org, rest.join('/')]
  const names = parts.map((part) => slug(part, 'unnamed'))
  if (names.every((name, index) => name === parts[index])) return names.join('_')
  return [...names, shortHash(channel)].join('_')
}
