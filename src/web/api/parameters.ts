import { z } from 'zod'
import { MAX_IDENTIFIER_LENGTH } from '../../core/documents/identifier.js'
import { MAX_PREFIX_LENGTH } from '../../core/text/rfq-name.js'

/*
 * What requests name, in addresses, bodies and the arguments of assistants. Values in an address are texts, which become numbers.
 */

const MOMENT = '2026-01-31T12:00:00Z, 2026-01-31, `yesterday` or `2 days ago`, in UTC'
/** A moment, which `parseMoment` of tables/moments.ts parses. */
const moment = z.string().trim().min(1).max(100).optional()
export const asOf = {
  as_of: moment.describe(`The state at a moment: ${MOMENT}; of a date, its end. Default: now.`),
}
export const momentSince = (what: string) => moment.describe(`${what}: ${MOMENT}; of a date, its start.`)

/** Of names and of words to search for, in characters. */
const MAX_WORD_LENGTH = 200
export const channelName = z.string().trim().min(1).max(MAX_WORD_LENGTH)
export const channelFilter = { channel: channelName.optional().describe('Only this channel, `org/slug`.') }
const MAX_NAME_LENGTH = MAX_PREFIX_LENGTH + MAX_IDENTIFIER_LENGTH
export const identifier = z.string().trim().min(1).max(MAX_NAME_LENGTH)
export const rfqName = z
  .preprocess((value) => (typeof value === 'number' ? String(value) : value), identifier)
  .describe('Number, reference or id of the RFQ; `id:…`, `number:…` or `reference:…` if several have that name.')

/** A whole number. */
export const wholeNumber = (min: number, max: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
    z.int().min(min).max(max),
  )

/** Some of these words, in an address with commas between them. */
export const listOfWords = <Word extends string>(words: readonly Word[]) =>
  z.preprocess(
    (value) => (typeof value === 'string' ? value.split(',') : value),
    z.array(z.enum(words as [Word, ...Word[]])),
  )

export const limit = wholeNumber(1, 500).default(100)
