import { z } from 'zod'
import { MAX_IDENTIFIER_LENGTH } from '../../core/documents/identifier.js'
import { MAX_PREFIX_LENGTH } from '../../core/text/rfq-name.js'
import { decodeCursor, type ListCursor, MAX_CURSOR_LENGTH } from '../../tables/cursor.js'

/*
 * Query parameters. Their values are texts; an error message says what is allowed.
 */

const DATE = 'a date, such as 2026-01-31'
const MOMENT =
  'a time such as 2026-01-31T12:00:00Z, a date such as 2026-01-31, or `yesterday`, `Monday`, `2 days ago`, `yesterday 14:00` (in UTC)'

/** A moment, which `parseMoment` of views/moments.ts parses. */
export const moment = z
  .string({ error: 'a moment' })
  .trim()
  .min(1, { error: 'a moment' })
  .max(100, { error: 'a moment' })

export const date = z.iso.date({ error: DATE })
const text = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1, { error: 'a text' })
    .max(maxLength, { error: `a text of at most ${maxLength} characters` })
/** Of names and of words to search for, in characters. */
export const MAX_WORD_LENGTH = 200
export const word = text(MAX_WORD_LENGTH)
export const flag = z.enum(['true', 'false'], { error: 'true or false' }).transform((text) => text === 'true')
export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `one of ${values.join(', ')}` })

/** Some of these words, with commas between them. */
export const listOfText = <Word extends string>(words: readonly Word[]) => {
  const error = `a list with commas between them of ${words.join(', ')}`
  return z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(words as [Word, ...Word[]], { error }), { error }))
}

/** A whole number in text. */
export const wholeNumber = (min: number, max: number) => {
  const error = `a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,15}$/, { error })
    .transform(Number)
    .pipe(z.int({ error }).min(min, { error }).max(max, { error }))
}

const CURSOR = 'the nextCursor of an earlier page'
const listCursor = z
  .string()
  .max(MAX_CURSOR_LENGTH, { error: CURSOR })
  .transform((text, context): ListCursor => {
    const cursor = decodeCursor(text)
    if (cursor !== null) return cursor
    context.addIssue({ code: 'custom', message: CURSOR })
    return z.NEVER
  })

export const limit = wholeNumber(1, 500).default(100).describe('Items on a page.')

export const asOf = {
  as_of: moment.optional().describe(`The state at a moment: ${MOMENT}; of a date, its end. Default: now.`),
}
export const momentSince = (what: string) => moment.optional().describe(`${what}: ${MOMENT}; of a date, its start.`)
export const channelFilter = { channel: word.optional().describe('Only this channel, `org/slug`.') }
export const rfqFilter = {
  rfq: text(MAX_PREFIX_LENGTH + MAX_IDENTIFIER_LENGTH)
    .optional()
    .describe('Only this RFQ: its number, reference or id, or `id:…`. With `channel`, which it belongs to.'),
}
/** Pages of a list that is computed as a whole. */
export const paging = { cursor: listCursor.optional().describe(`${CURSOR}.`), limit }
/** Pages of a list in the order of its ids, newest first. */
export const idPaging = {
  cursor: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional().describe(`${CURSOR}.`),
  limit,
}
/** Pages of a list whose cursors the store makes. */
export const textPaging = {
  cursor: z.string().max(MAX_CURSOR_LENGTH, { error: CURSOR }).optional().describe(`${CURSOR}.`),
  limit,
}
