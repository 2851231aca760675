import { z } from 'zod'

/** Schemas that several views share. */
export const timestamp = z.iso.datetime().describe('UTC, ISO 8601 with milliseconds.')
export const text = z.string()
export const nullableText = z.string().nullable()
export const nullableNumber = z.number().nullable()
export const count = z.int().min(0)
export const channelKey = z.string().describe('`org/slug`.')
/** Set in answers to requests with `as_of`. */
export const incomplete = z
  .array(channelKey)
  .optional()
  .describe('Only with `as_of`: the channels without a complete poll by then, whose data may be incomplete.')
/** A list, and the cursor of its next page. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    asOf: timestamp.nullable().describe('The requested `as_of`; null for the current state.'),
    incomplete,
    items: z.array(item),
    nextCursor: z.string().nullable().describe('Pass it as `cursor` to get the next page; null on the last page.'),
  })
/** A list whose length is known. */
export const countedListOf = <Item extends z.ZodType>(item: Item) =>
  listOf(item).extend({ total: count.describe('The number of items on all pages.') })

/** A value that is not validated; docs/COMPARISON.md describes its members. */
export const unvalidated = <T>() => z.unknown() as unknown as z.ZodType<T, T>
