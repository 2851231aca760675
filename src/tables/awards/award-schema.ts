import { z } from 'zod'
import type { AwardState } from '../../compare/decision/award-state.js'
import type { AwardRecord } from '../../core/decision/award-record.js'

const text = z.string()
const number = z.number().nullable()

const awardFacts = z.strictObject({
  id: z.int().nullable().describe('Its number in the award log; null if it is about to be recorded.'),
  at: text,
  by: text,
  asOf: text.describe('The moment of the comparison that the decision is based on.'),
  offers: z.array(
    z.strictObject({
      id: text,
      number: z.int().describe('The number of the offer in the comparison.'),
      name: text,
      tonnes: z.number(),
      total: z.number().describe('Amount payable, in the currency of the award.'),
      pricePerTonne: z.number(),
      cost: z.number().describe('What awards were compared by: the price basis.'),
      own: z
        .strictObject({
          total: number,
          currency: text.nullable(),
          rate: z
            .strictObject({ rate: z.number(), date: text.nullable(), source: text.nullable() })
            .nullable()
            .describe('What one unit was worth in the currency of the award; null if that is the same.'),
        })
        .describe('As offered.'),
      expiryDate: text.nullable(),
      status: text.nullable(),
      version: z.int(),
      contentHash: text.describe('SHA-256 of the version of its document.'),
      termsHash: text.describe('SHA-256 of its terms, without the status.'),
    }),
  ),
  tonnes: z.number(),
  total: z.number(),
  pricePerTonne: z.number(),
  currency: text,
  because: text.nullable(),
  warnings: z.array(text).describe('What was said against it when it was recorded.'),
  recommendation: z
    .strictObject({
      status: text,
      headline: text,
      reasons: z.array(text),
      offers: z.array(z.strictObject({ id: text, number: z.int(), name: text, tonnes: z.number(), total: z.number() })),
      tonnes: number,
      total: number,
      pricePerTonne: number,
      currency: text.nullable(),
    })
    .describe('What was recommended then.'),
  followed: z.boolean().describe('Whether the award is the recommended one.'),
})

/** The desk's award that stands, and what the marketplace shows of it. */
export const awardStateSchema = z
  .strictObject({
    award: awardFacts,
    status: z
      .enum(['waiting', 'accepted', 'differs', 'none'])
      .describe(
        '`waiting`: the marketplace does not show every awarded offer as accepted yet. `accepted`: it shows exactly those. ' +
          '`differs`: what it shows cannot become the recorded award. `none`: nothing is awarded.',
      ),
    findings: z.array(
      z.strictObject({
        code: z.enum([
          ...(['other-accepted', 'missing', 'not-open', 'changed'] as const),
          ...(['expired', 'expires', 'part-accepted', 'accepted'] as const),
        ]),
        loud: z.boolean().describe('Whether a person must act now.'),
        message: text,
        since: text.nullable(),
      }),
    ),
    next: text.describe('What to do next.'),
    lines: z.array(z.strictObject({ title: text, message: text })).describe('All of it in sentences.'),
  })
  .meta({ id: 'StandingAward' }) satisfies z.ZodType<AwardState>

/** An award as it was recorded. */
export const awardRecordSchema = awardFacts
  .extend({
    id: z.int().describe('Its number in the award log, in which withdrawals have numbers too.'),
    channel: text,
    rfqId: text,
    rfqNumber: number,
    settingsHash: text,
    workbookSha256: text,
    programVersion: text,
    hash: text.describe('Of its row, which covers the row before.'),
    withdrawn: z
      .strictObject({ id: z.int(), at: text, by: text, because: text.nullable() })
      .nullable()
      .describe('Null while the award stands.'),
  })
  .meta({ id: 'RecordedAward' }) satisfies z.ZodType<AwardRecord>

/** The standing award in lines for a terminal; none if no award stands. */
export const awardLines = (state: Pick<AwardState, 'lines'> | null): string[] =>
  (state?.lines ?? []).map(({ title, message }) => `${title}: ${message}`)
