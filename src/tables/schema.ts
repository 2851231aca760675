import { z } from 'zod'
import type { KnownDocument } from '../core/records.js'

/** Schemas that several views share. */
export const timestamp = z.iso.datetime().describe('UTC, ISO 8601 with milliseconds.')
export const text = z.string()
export const nullableText = z.string().nullable()
export const count = z.int().min(0)
export const channelKey = z.string().describe('`org/slug`.')

/** The members of an object that a schema has, in its order. */
export const pick = <Schema extends z.ZodObject>(
  { shape }: Schema,
  source: z.input<Schema> & Record<string, unknown>,
): z.output<Schema> => Object.fromEntries(Object.keys(shape).map((key) => [key, source[key]])) as z.output<Schema>

/** A value that is not validated; docs/COMPARISON.md describes its members. */
export const unvalidated = <T>() => z.unknown() as unknown as z.ZodType<T, T>
export const unvalidatedObject = <T extends object>() => z.looseObject({}) as unknown as z.ZodType<T, T>

/** What Quotekeeper knows about a document besides its content. */
const observationSchema = z.strictObject({
  version: z.int().min(1),
  notBefore: timestamp.nullable().describe('The last observation that still showed the version before it.'),
  observedAt: timestamp.describe('The first observation of this version.'),
  firstObservedAt: timestamp,
  lastObservedAt: timestamp.nullable().describe('Null as of a past moment.'),
  readAt: timestamp
    .nullable()
    .describe('When the document itself was last read. Null if only its summary is known, and as of a past moment.'),
  missingSince: timestamp.nullable(),
  valid: z.boolean().describe('Whether the document matches the API description.'),
})
export const observation = observationSchema.shape

export const observationOf = (document: KnownDocument) => pick(observationSchema, { ...document })

export const body = z
  .unknown()
  .describe('The document as received, parsed, with fields that the API description lacks.')
