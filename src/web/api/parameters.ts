import { z } from 'zod'
import { MAX_IDENTIFIER_LENGTH } from '../../core/documents/identifier.js'
import { MAX_PREFIX_LENGTH } from '../../core/text/rfq-name.js'
import { decodeCursor, type ListCursor, MAX_CURSOR_LENGTH } from '../../views/cursor.js'

/*
 * Query parameters. Their values are texts; an error message says what is allowed.
 */

const DATE = 'a date, such as 2026-01-31'
const MOMENT = 'a date, such as 2026-01-31 (its end in UTC), or a time such as 2026-01-31T12:00:00Z'

/** A moment; a date is its end in UTC. */
export const moment = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], { error: MOMENT })
  .transform((text) => new Date(text.length === 10 ? `${text}T23:59:59.999Z` : text))

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

export const asOf = { as_of: moment.optional().describe(`The state at a moment: ${MOMENT}. Default: now.`) }
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
