import { z } from 'zod'
import type { Settings } from './settings.js'

const text = z.string()
const number = z.number()

/** An offer as it was when the desk awarded it. */
const awardedOffer = z.strictObject({
  id: text,
  number: z.int().describe('The number of the offer in the comparison.'),
  name: text,
  tonnes: number,
  total: number.describe('Amount payable, in the currency of the award.'),
  pricePerTonne: number,
  cost: number.describe('What awards were compared by: the price basis.'),
  own: z
    .strictObject({
      total: number.nullable(),
      currency: text.nullable(),
      rate: z
        .strictObject({ rate: number, date: text.nullable(), source: text.nullable() })
        .nullable()
        .describe('What one unit was worth in the currency of the award; null if that is the same.'),
    })
    .describe('As offered.'),
  expiryDate: text.nullable(),
  status: text.nullable(),
  version: z.int(),
  contentHash: text.describe('SHA-256 of the version of its document.'),
  termsHash: text.describe('SHA-256 of its terms, without the status.'),
})
export type AwardedOfferRecord = z.infer<typeof awardedOffer>

const recommendationThen = z.strictObject({
  ...{ status: text, headline: text, reasons: z.array(text) },
  offers: z.array(z.strictObject({ id: text, number: z.int(), name: text, tonnes: number, total: number })),
  ...{ tonnes: number.nullable(), total: number.nullable(), pricePerTonne: number.nullable() },
  currency: text.nullable(),
})
/** What was recommended when the desk decided; without accepted offers. */
export type RecommendationRecord = z.infer<typeof recommendationThen>

const awardFactsSchema = z.strictObject({
  id: z.int().nullable().describe('Its number in the award log; null if it is about to be recorded.'),
  at: text,
  by: text,
  asOf: text.describe('The moment of the comparison that the decision is based on.'),
  offers: z.array(awardedOffer).describe('Empty if nothing is awarded.'),
  ...{ tonnes: number, total: number, pricePerTonne: number, currency: text },
  because: text.nullable(),
  warnings: z.array(text).describe('What was said against it when it was recorded.'),
  recommendation: recommendationThen.describe('What was recommended then.'),
  followed: z.boolean().describe('Whether the award is the recommended one.'),
})
/** What the desk decided, as pages, commands and reports show it. Tonnes are t CO2e, amounts are payable. */
export type AwardFacts = z.infer<typeof awardFactsSchema>

const withdrawal = z.strictObject({ id: z.int(), at: text, by: text, because: text.nullable() })
/** The withdrawal of an award. */
export type AwardWithdrawal = z.infer<typeof withdrawal>

export const awardRecordSchema = awardFactsSchema
  .extend({
    id: z.int().describe('Its number in the award log, in which withdrawals have numbers too.'),
    ...{ channel: text, rfqId: text, rfqNumber: number.nullable() },
    ...{ settingsHash: text, workbookSha256: text, programVersion: text },
    hash: text.describe('Of its row, which covers the row before.'),
    withdrawn: withdrawal.nullable().describe('Null while the award stands.'),
  })
  .meta({ id: 'RecordedAward' })
/** A recorded award. */
export type AwardRecord = z.infer<typeof awardRecordSchema>

/** An award that is to be recorded. */
export interface NewAward extends Omit<AwardFacts, 'id'> {
  channel: string
  rfqId: string
  rfqNumber: number | null
  /** What the comparison was made with. */
  settings: Settings
  programVersion: string
  workbook: Buffer
}

const shown = awardFactsSchema.strip()

/** What is shown of an award. */
export const awardFacts = (award: AwardFacts): AwardFacts => shown.parse(award)
