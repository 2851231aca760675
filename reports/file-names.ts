import { createHash } from 'node:crypto'
import { cleanText } from './layout/clean-text.js'

/**
 * A part of a file name: lower-case letters and digits of ASCII with single hyphens, so that no text from outside can
 * name another folder, a device or an option.
 * @param value any text or number
 * @param otherwise what stands where nothing is left
 */
export function slug(value: unknown, otherwise: string): string {
  const plain = cleanText(value).normalize('NFKD').toLowerCase()
  const parts = plain.match(/[a-z0-9]+/g) ?? []
  const name = parts.join('-').slice(0, 60).replace(/-$/, '')
  return name === '' ? otherwise : name
}

/** So many digits of a text's hash (SHA-256) tell it from others where its slug does not. */
export const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)

/** A moment as it stands in a file name: `YYYYMMDDTHHMMZ`. */
const fileMoment = (moment: Date): string => `${moment.toISOString().slice(0, 16).replace(/[-:]/g, '')}Z`

/** What names an RFQ. */
export interface RfqName {
  number: number | null
  id: string
  /** The number means another RFQ of the channel too, so that it cannot name a file alone. */
  ambiguous?: boolean
}

/**
 * The name of the workbook of an RFQ: `rfq-<number>_asof-<YYYYMMDDTHHMMZ>.xlsx`; two RFQs of one channel never share it.
 * The identifier stands in where there is no number, and beside a number that is ambiguous, each with a part of its hash
 * where it is not plain.
 * @param asOf the moment the workbook tells of
 */
export function rfqFileName(rfq: RfqName, asOf: Date, extension = 'xlsx'): string {
  return `rfq-${rfqPart(rfq)}_asof-${fileMoment(asOf)}.${extension}`
}

const WHOLE = /^\d+$/

function rfqPart({ number, id, ambiguous = false }: RfqName): string {
  if (number !== null && WHOLE.test(String(number))) return ambiguous ? `${number}_id-${plainPart(id)}` : `${number}`
  return WHOLE.test(id) ? hashedPart(id) : plainPart(id)
}

/** A text as a part of a file name; an underscore, which no slug has, begins the hash of one that its slug does not tell. */
const plainPart = (text: string): string => (slug(text, 'unnamed') === text ? text : hashedPart(text))
const hashedPart = (text: string): string => `${slug(text, 'unnamed')}_${shortHash(text)}`

/** The name of the overview workbook of a channel: `channel-<org>-<slug>_asof-<YYYYMMDDTHHMMZ>.xlsx`. */
export function channelFileName(channel: string, asOf: Date, extension = 'xlsx'): string {
  return `channel-${slug(channel, 'unnamed')}_asof-${fileMoment(asOf)}.${extension}`
}
