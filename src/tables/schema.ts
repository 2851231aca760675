import { z } from 'zod'

/** Schemas that several views share. */
export const timestamp = z.iso.datetime().describe('UTC, ISO 8601 with milliseconds.')
export const text = z.string()
export const nullableText = z.string().nullable()
export const nullableNumber = z.number().nullable()
export const count = z.int().min(0)
export const channelKey = z.string().describe('`org/slug`.')

/** A value that is not validated; docs/COMPARISON.md describes its members. */
export const unvalidated = <T>() => z.unknown() as unknown as z.ZodType<T, T>
