import { z } from 'zod'
import { listingDocument, rfqListDocument } from '../../src/core/documents/documents.js'

/** What the operations reply besides single documents. */
export const listingList = z.strictObject({ items: z.array(listingDocument) })
export const rfqList = z.strictObject({ items: z.array(rfqListDocument) })
export const closeReply = z.strictObject({ ok: z.boolean() })
export const errorReply = z.strictObject({ statusCode: z.number(), message: z.string(), error: z.number() })
