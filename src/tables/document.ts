import { z } from 'zod'
import type { KnownDocument } from '../core/records.js'
import { pick, timestamp } from './schema.js'

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
