import { z } from 'zod'
import { PRICE_BASES, REQUIREMENT_LEVELS } from '../../core/decision/settings.js'

const text = z.string()
const number = z.number().nullable()

export const awardSchema = z
  .strictObject({
    offers: z.array(
      z.strictObject({
        id: text,
        number: z.int(),
        name: text,
        tonnes: z.number(),
        total: z.number(),
        pricePerTonne: z.number(),
      }),
    ),
    tonnes: z.number(),
    total: z.number().describe('Amount payable.'),
    pricePerTonne: z.number(),
    currency: text.describe('The currency in which offers are compared.'),
    coverage: number.describe('Share of the requested tonnes, at most 1.'),
    costPerTonne: z.number().describe('By the price basis.'),
  })
  .meta({ id: 'Award' })

const recommendation = z.strictObject({
  status: z.enum(['award', 'partial', 'accepted', 'none', 'no-volume', 'no-offers']),
  headline: text.describe('What to do, and what became of every offer.'),
  award: awardSchema.nullable().describe('The offers to award, besides those that are accepted.'),
  accepted: z
    .strictObject({
      offers: z.array(z.strictObject({ id: text, number: z.int(), name: text })),
      tonnes: z.number(),
      award: awardSchema.nullable().describe('Null if one of them cannot be compared.'),
      message: text,
    })
    .nullable(),
  reasons: z.array(text).describe('At most three; each compares the award with an alternative.'),
  conditions: z.array(text).describe('What to check before signing.'),
  changes: z.array(text).describe('What would change the award.'),
  breakEven: z.array(
    z.strictObject({
      offerId: text,
      pricePerTonne: z.number(),
      breakEvenPricePerTonne: number.describe('Null: at any price.'),
      message: text,
    }),
  ),
  gap: number.describe(
    'Not null if the award is not proven to be the best: by how much less another could cost, as a share.',
  ),
})

const saving = z.strictObject({ pricePerTonne: z.number(), amount: z.number() }).nullable()

/** The decision on an RFQ. */
export const decisionSchema = z
  .strictObject({
    tolerance: z.union([z.number(), z.literal('unlimited')]).describe('`awardTolerance`.'),
    priceBasis: z.enum(PRICE_BASES),
    requirements: z.array(
      z.strictObject({
        name: text,
        title: text,
        level: z.enum(REQUIREMENT_LEVELS),
        setting: text,
        offersNotMeeting: z.int(),
      }),
    ),
    banners: z.array(z.strictObject({ code: text, message: text })).describe('Facts to read first.'),
    recommendation,
    choices: z
      .array(
        z.strictObject({
          kind: z.enum(['efficient', 'recommended', 'waived']),
          requirement: text.nullable(),
          title: text,
          award: awardSchema,
          isRecommended: z.boolean(),
          extra: z
            .strictObject({ tonnes: z.number(), pricePerTonne: z.number() })
            .nullable()
            .describe('Its tonnes beyond those of the efficient award before it, and what each of them costs.'),
          perTonneDifference: number.describe('Price per tonne less that of the recommended award.'),
          notes: z.array(text),
        }),
      )
      .describe('Awards worth a look, by tonnes; then what a waived requirement would buy.'),
    excluded: z
      .array(z.strictObject({ offerId: text, number: z.int(), name: text, code: text, message: text }))
      .describe('The offers that do not compete, with the reason.'),
    questions: z
      .array(
        z.strictObject({
          developer: text,
          subject: text,
          text: text.describe('Subject and body, to copy.'),
          mailto: text.describe('A `mailto:` address with subject and body; a body that is too long is cut.'),
          offers: z.array(z.strictObject({ offerId: text, questions: z.array(text) })),
        }),
      )
      .describe('What to ask, as a letter to each developer.'),
    savings: z
      .strictObject({
        tonnes: z.number(),
        pricePerTonne: z.number(),
        maxPrice: saving,
        medianOffer: saving,
        message: text,
      })
      .nullable(),
    awardedTonnes: z.record(text, z.number()).describe('Tonnes in the accepted or the recommended award, by offer id.'),
  })
  .meta({ id: 'AwardDecision' })
