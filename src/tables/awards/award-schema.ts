import { z } from 'zod'
import type { AwardState } from '../../compare/decision/award-state.js'
import type { AwardRecord } from '../../core/decision/award-record.js'

const text = z.string()
const number = z.number()

const ownTerms = z
  .strictObject({
    total: number.nullable(),
    currency: text.nullable(),
    rate: z
      .strictObject({ rate: number, date: text.nullable(), source: text.nullable() })
      .nullable()
      .describe('What one unit was worth in the currency of the award; null if that is the same.'),
  })
  .describe('As offered.')

const awardedOffer = z.strictObject({
  id: text,
  number: z.int().describe('The number of the offer in the comparison.'),
  name: text,
  tonnes: number,
  total: number.describe('Amount payable, in the currency of the award.'),
  pricePerTonne: number,
  cost: number.describe('What awards were compared by: the price basis.'),
  own: ownTerms,
  expiryDate: text.nullable(),
  status: text.nullable(),
  version: z.int(),
  contentHash: text.describe('SHA-256 of the version of its document.'),
  termsHash: text.describe('SHA-256 of its terms, without the status.'),
})

const awardFacts = z.strictObject({
  id: z.int().nullable().describe('Its number in the award log; null if it is about to be recorded.'),
  at: text,
  by: text,
  asOf: text.describe('The moment of the comparison that the decision is based on.'),
  offers: z.array(awardedOffer).describe('Empty if nothing is awarded.'),
  ...{ tonnes: number, total: number, pricePerTonne: number, currency: text },
  because: text.nullable(),
  warnings: z.array(text).describe('What was said against it when it was recorded.'),
  recommendation: z
    .strictObject({
      ...{ status: text, headline: text, reasons: z.array(text) },
      offers: z.array(z.strictObject({ id: text, number: z.int(), name: text, tonnes: number, total: number })),
      ...{ tonnes: number.nullable(), total: number.nullable(), pricePerTonne: number.nullable() },
      currency: text.nullable(),
    })
    .describe('What was recommended then.'),
  followed: z.boolean().describe('Whether the award is the recommended one.'),
})

const FINDINGS = ['other-accepted', 'missing', 'not-open', 'changed', 'expired', 'expires', 'part-accepted', 'accepted']

/** The desk's award that stands, and what the marketplace shows of it. */
export const awardStateSchema = z
  .strictObject({
    award: awardFacts,
    status: z
      .enum(['waiting', 'accepted', 'differs', 'no-award'])
      .describe(
        '`waiting`: the marketplace does not show every awarded offer as accepted yet. `accepted`: it shows exactly those. ' +
          '`differs`: what it shows cannot become the recorded award. `no-award`: nothing is awarded.',
      ),
    findings: z.array(
      z.strictObject({
        code: z.enum(FINDINGS as AwardState['findings'][number]['code'][]),
        loud: z.boolean().describe('Whether a person must act now.'),
        message: text,
        since: text.nullable(),
      }),
    ),
    next: text.describe('What to do next.'),
    facts: z
      .array(z.strictObject({ label: text, kind: z.literal('text'), value: text }))
      .describe('All of it in sentences.'),
  })
  .meta({ id: 'StandingAward' }) satisfies z.ZodType<AwardState>

/** An award as it was recorded. */
export const awardRecordSchema = awardFacts
  .extend({
    id: z.int().describe('Its number in the award log, in which withdrawals have numbers too.'),
    ...{ channel: text, rfqId: text, rfqNumber: number.nullable() },
    ...{ settingsHash: text, workbookSha256: text, programVersion: text },
    hash: text.describe('Of its row, which covers the row before.'),
    withdrawn: z
      .strictObject({ id: z.int(), at: text, by: text, because: text.nullable() })
      .nullable()
      .describe('Null while the award stands.'),
  })
  .meta({ id: 'RecordedAward' }) satisfies z.ZodType<AwardRecord>

/** The standing award in lines for a terminal; none if no award stands. */
export const awardLines = (state: Pick<AwardState, 'facts'> | null): string[] =>
  (state?.facts ?? []).map(({ label, value }) => `${label}: ${value}`)
