import { z } from 'zod'

/** Schemas that several views share. */
export const timestamp = z.iso.datetime().describe('UTC, ISO 8601 with milliseconds.')
export const text = z.string()
export const nullableText = z.string().nullable()
export const nullableNumber = z.number().nullable()
export const count = z.int().min(0)
export const channelKey = z.string().describe('`org/slug`.')

/** The members of an object that a schema has, in its order. */
export const pick = <Schema extends z.ZodObject>(
  { shape }: Schema,
  source: z.input<Schema> & Record<string, unknown>,
): z.output<Schema> => Object.fromEntries(Object.keys(shape).map((key) => [key, source[key]])) as z.output<Schema>

/** A value that is not validated; docs/COMPARISON.md describes its members. */
export const unvalidated = <T>() => z.unknown() as unknown as z.ZodType<T, T>
