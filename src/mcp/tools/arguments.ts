import { z } from 'zod'
import { MAX_IDENTIFIER_LENGTH } from '../../core/documents/identifier.js'
import { MAX_PREFIX_LENGTH } from '../../core/text/rfq-name.js'
import { MAX_CURSOR_LENGTH } from '../../tables/cursor.js'

/* Arguments that several tools have. */

const MOMENT = '2026-01-31, 2026-01-31T12:00Z, yesterday, Monday, "2 days ago" or "yesterday 14:00"'

const channel = z.string().max(200).optional().describe('Only this channel, `org/slug`. Default: all.')
const moment = z.string().min(1).max(100).optional()

export const ofChannel = { channel }
export const asOf = {
  as_of: moment.describe(`The state as it was known at a past moment: ${MOMENT}; of a day, its end. Default: now.`),
}
export const momentSince = (what: string) => moment.describe(`${what}: ${MOMENT}; of a day, its start.`)
export const identifier = z.string().min(1).max(MAX_IDENTIFIER_LENGTH)
export const rfqName = z
  .union([
    z
      .string()
      .min(1)
      .max(MAX_PREFIX_LENGTH + MAX_IDENTIFIER_LENGTH),
    z.int(),
  ])
  .describe('Number, reference or id of the RFQ; `id:…`, `number:…` or `reference:…` if several are called so.')
/** An RFQ, with its channel if its number is not unique. */
export const ofRfq = {
  rfq: rfqName,
  channel: z
    .string()
    .max(200)
    .optional()
    .describe('Its channel, `org/slug`; needed if several have an RFQ of this name.'),
}
export const paging = (what: string, byDefault = 25, max = 100) => ({
  limit: z.int().min(1).max(max).default(byDefault).describe(`${what} on a page; fewer if they are long.`),
  cursor: z.string().max(MAX_CURSOR_LENGTH).optional().describe('The nextCursor of the last page.'),
})
