import { z } from 'zod'

/** What search results show of an offer, as it was compared last. */
export const offerFacts = z.strictObject({
  number: z.int().describe('The number of the offer in the comparison.'),
  label: z.string(),
  developer: z.string().nullable(),
  project: z.string().nullable(),
  standing: z
    .enum(['accepted', 'ranked', 'not-compliant', 'excluded'])
    .describe(
      '`ranked`: it competes. `not-compliant`: it does not meet a hard requirement. `excluded`: it cannot be awarded.',
    ),
  status: z.string().nullable(),
  tonnes: z.number().nullable(),
  pricePerTonne: z.number().nullable().describe('In the currency of the offer.'),
  currency: z.string().nullable(),
})
export type OfferFacts = z.infer<typeof offerFacts>
