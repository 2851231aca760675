import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { cleanText } from '../core/text/clean-text.js'

/**
 * Makes a safe part of a file name: lower-case ASCII letters and digits with single hyphens, so that text from outside
 * cannot name another directory, a device or an option; `unnamed` if nothing is left.
 */
function slug(text: string): string {
  const normalized = cleanText(text).normalize('NFKD').toLowerCase()
  const parts = normalized.match(/[a-z0-9]+/g) ?? []
  const name = parts.join('-').slice(0, 60).replace(/-$/, '')
  return name === '' ? 'unnamed' : name
}

/** The first 8 hexadecimal digits of the SHA-256 hash, to tell apart texts with the same slug. */
const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)

/** A time in a file name: `YYYYMMDDTHHMMZ`. */
const timePart = (time: Date): string => `${time.toISOString().slice(0, 16).replace(/[-:]/g, '')}Z`

interface RfqName {
  number: number | null
  id: string
  /** Whether another RFQ of the channel has the same number. */
  ambiguous?: boolean
}

/**
 * The file name of a report on an RFQ: `rfq-<number>_asof-<YYYYMMDDTHHMMZ>.xlsx`, unique within a channel. The identifier
 * replaces a missing number and is added to an ambiguous one; if it is not its own slug, part of its hash is appended.
 * @param asOf the as-of time of the report
 */
export function rfqFileName(rfq: RfqName, asOf: Date): string {
  return `rfq-${rfqPart(rfq)}_asof-${timePart(asOf)}.xlsx`
}

const DIGITS_ONLY = /^\d+$/

function rfqPart({ number, id, ambiguous = false }: RfqName): string {
  if (number !== null && DIGITS_ONLY.test(String(number)))
    return ambiguous ? `${number}_id-${slugPart(id)}` : `${number}`
  return DIGITS_ONLY.test(id) ? hashedPart(id) : slugPart(id)
}

/** Text that equals its slug is used as it is; otherwise a hash follows, after an underscore, which no slug contains. */
const slugPart = (text: string): string => (slug(text) === text ? text : hashedPart(text))
const hashedPart = (text: string): string => `${slug(text)}_${shortHash(text)}`

/** The file name of an overview: `channel-<org>-<slug>_asof-<YYYYMMDDTHHMMZ>.xlsx`, or `channels_asof-…` of all channels. */
export const overviewFileName = (channel: string | null, asOf: Date): string =>
  `${channel === null ? 'channels' : `channel-${slug(channel)}`}_asof-${timePart(asOf)}.xlsx`

/** The folder of the reports on a channel, because RFQs of different channels may have the same number. */
export const reportFolder = (directory: string, channel: string | null): string =>
  channel === null ? directory : join(directory, channelFolder(channel))

/** `acme_forest`; plus a short hash if a name had to be simplified, so that two channels never share a folder. */
function channelFolder(channel: string): string {
  const [org = '', ...rest] = channel.split('/')
  const parts = [org, rest.join('/')]
  const names = parts.map((part) => slug(part))
  if (names.every((name, index) => name === parts[index])) return names.join('_')
  return [...names, shortHash(channel)].join('_')
}
