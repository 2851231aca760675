import { z } from 'zod'

/** Parts of several schemas. */
export const timestamp = z.iso.datetime().describe('UTC, ISO 8601 with milliseconds.')
export const text = z.string()
export const nullableText = z.string().nullable()
export const number = z.number().nullable()
export const count = z.int().min(0)
export const channelKey = z.string().describe('`org/slug`.')
/** Of an answer as of a moment. */
export const incomplete = z
  .array(channelKey)
  .optional()
  .describe(
    'With `as_of`: the channels of which no poll was complete by then, so that what was there may be missing. Otherwise absent.',
  )
/** A list, and the cursor of its next page. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    asOf: timestamp
      .nullable()
      .describe('The moment of `as_of`, or of the first page of RFQs; null for the current state.'),
    incomplete,
    items: z.array(item),
    nextCursor: z.string().nullable().describe('For `cursor`; null on the last page.'),
  })
/** A list that is known as a whole. */
export const countedListOf = <Item extends z.ZodType>(item: Item) =>
  listOf(item).extend({ total: count.describe('Of all pages.') })

/** A part whose members docs/COMPARISON.md describes. */
export const part = <T>() => z.unknown() as unknown as z.ZodType<T, T>
