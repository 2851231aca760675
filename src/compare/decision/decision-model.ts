/**
 * The decision: whom to award, why, and what could change that; plain JSON. docs/COMPARISON.md explains the rules. Awards take whole
 * offers. Amounts are payable, in `currency.comparison`; prices are per tonne.
 */
import { z } from 'zod'
import { PRICE_BASES, REQUIREMENT_LEVELS, requirementName } from '../../core/decision/settings.js'

const text = z.string()
const number = z.number().nullable()

const awardedOffer = z.strictObject({
  id: text,
  number: z.int().describe('The number of the offer, which never changes.'),
  name: text.describe('`Developer · Project`; with the number if two offers have the same.'),
  tonnes: z.number(),
  total: z.number(),
  pricePerTonne: z.number(),
})
export type AwardedOffer = z.infer<typeof awardedOffer>

const award = z
  .strictObject({
    offers: z.array(awardedOffer),
    tonnes: z.number(),
    total: z.number().describe('Amount payable.'),
    pricePerTonne: z.number(),
    currency: text.describe('The currency in which offers are compared.'),
    coverage: number.describe('Share of the requested tonnes, at most 1; null if no volume is requested.'),
    costPerTonne: z.number().describe('By the price basis.'),
  })
  .meta({ id: 'Award' })
/** Tonnes bought from offers. */
export type Award = z.infer<typeof award>

const acceptedAward = z.strictObject({
  offers: z.array(awardedOffer.pick({ id: true, number: true, name: true })),
  tonnes: z.number().describe('As far as they are known.'),
  award: award.nullable().describe('Null if one of them cannot be compared.'),
  message: text,
})
export type AcceptedAward = z.infer<typeof acceptedAward>

const breakEven = z.strictObject({
  offerId: text,
  pricePerTonne: z.number(),
  breakEvenPricePerTonne: z.number(),
  message: text,
})
/** The price up to which an awarded offer stays in the award, with the others unchanged. */
export type BreakEven = z.infer<typeof breakEven>

const condition = z.strictObject({
  loud: z.boolean().describe('Shown in red, and on Today; others are quiet.'),
  message: text,
})
/** A doubt about the award. */
export type Condition = z.infer<typeof condition>

const recommendation = z.strictObject({
  status: z
    .enum(['award', 'partial', 'accepted', 'none', 'no-volume', 'no-offers'])
    .describe('docs/COMPARISON.md says when each applies.'),
  headline: text.describe('What to do, and what became of every offer.'),
  award: award.nullable().describe('The offers to award, besides those that are accepted.'),
  accepted: acceptedAward.nullable().describe('Null if none is accepted.'),
  reasons: z.array(text).describe('At most three; each compares the award with an alternative.'),
  conditions: z.array(condition).describe('What to check before signing: at most three, loud ones first.'),
  breakEven: z
    .array(breakEven)
    .describe('What would change the award: one for each awarded offer that a price could take out of it.'),
  gap: number.describe(
    'Not null if the award is not proven to be the best: by how much less another could cost, as a share.',
  ),
})
export type Recommendation = z.infer<typeof recommendation>

const choice = z.strictObject({
  kind: z
    .enum(['efficient', 'recommended', 'waived'])
    .describe('`recommended`: a single offer that is larger than the window. `waived`: without one requirement.'),
  requirement: requirementName.nullable().describe('The waived one.'),
  title: text,
  award,
  isRecommended: z.boolean(),
  extra: z
    .strictObject({ tonnes: z.number(), pricePerTonne: z.number() })
    .nullable()
    .describe('Its tonnes beyond those of the efficient award before it, and what each of them costs.'),
  perTonneDifference: number.describe('Price per tonne less that of the recommended award.'),
  notes: z.array(text),
})
export type Choice = z.infer<typeof choice>

const requirement = z.strictObject({
  name: requirementName,
  title: text,
  level: z.enum(REQUIREMENT_LEVELS),
  setting: text.describe('Its key for `--set`.'),
  offersNotMeeting: z
    .int()
    .describe('Comparable, open offers that do not meet it; of `volumeMax`, those that exceed the maximum alone.'),
})
/** One requirement, and how it is applied. */
export type RequirementSetting = z.infer<typeof requirement>

const banner = z.strictObject({
  code: z.enum([
    'rfq-missing',
    'rfq-closed',
    'rfq-not-open',
    'rfq-overdue',
    'rfq-invalid',
    'rfq-changed-since-read',
    'rfq-not-read',
  ]),
  message: text,
})
export type Banner = z.infer<typeof banner>

const excludedOffer = z.strictObject({
  offerId: text,
  number: z.int(),
  name: text,
  code: text.describe('The first reason.'),
  message: text.describe('All reasons.'),
})
export type ExcludedOffer = z.infer<typeof excludedOffer>

const letter = z.strictObject({
  developer: text,
  subject: text,
  text: text.describe('Subject and body, to copy.'),
  mailto: text.describe('A `mailto:` address with subject and body; a body that is too long is cut.'),
  offers: z.array(z.strictObject({ offerId: text, questions: z.array(text) })),
})
/** A letter to a developer. */
export type DeveloperQuestions = z.infer<typeof letter>

const saving = z.strictObject({ pricePerTonne: z.number(), amount: z.number() }).nullable()
const savings = z.strictObject({
  tonnes: z.number(),
  pricePerTonne: z.number(),
  maxPrice: saving,
  medianOffer: saving.describe('Null with fewer than three offers that compete.'),
  message: text,
})
/** What the awarded tonnes cost less than at another price. */
export type Savings = z.infer<typeof savings>

/** The decision on an RFQ. */
export const decisionSchema = z
  .strictObject({
    tolerance: z.union([z.number(), z.literal('unlimited')]).describe('`awardTolerance`.'),
    priceBasis: z.enum(PRICE_BASES),
    requirements: z.array(requirement),
    banners: z.array(banner).describe('Facts to read first.'),
    recommendation,
    choices: z.array(choice).describe('Awards worth a look, by tonnes; then what a waived requirement would buy.'),
    excluded: z.array(excludedOffer).describe('The offers that do not compete, with the reason.'),
    questions: z.array(letter).describe('What to ask, as a letter to each developer.'),
    savings: savings.nullable().describe('Null without an award, or anything to compare it with.'),
    awardedTonnes: z.record(text, z.number()).describe('Tonnes in the accepted or the recommended award, by offer id.'),
  })
  .meta({ id: 'AwardDecision' })
export type Decision = z.infer<typeof decisionSchema>
