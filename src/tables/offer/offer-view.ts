import { z } from 'zod'
import type { Exclusion } from '../../compare/offer/eligibility.js'
import type { OfferReport, UnmetRequirement } from '../../compare/offer/offer-report-model.js'

const text = z.string()
const number = z.number().nullable()

/** Money in one currency: the offer's own, or the one in which the offers of the RFQ are compared. */
const money = z.strictObject({ currency: text.nullable(), total: number, pricePerTonne: number })

const notMet = z.strictObject({
  kind: z
    .enum(['excluded', 'hard', 'advisory'])
    .describe(
      '`excluded`: why it can be part of no award. `hard`: why it is not compliant. `advisory`: prevents no award.',
    ),
  label: text.describe('In two or three words; with a question mark if it could not be determined.'),
  message: text,
})
export type NotMet = z.infer<typeof notMet>

/** One offer of a comparison, as every surface shows it. */
export const offerViewSchema = z
  .strictObject({
    id: text,
    number: z.int().describe('1, 2, … in the order in which the offers of the RFQ were first seen; never changes.'),
    rank: z
      .int()
      .nullable()
      .describe('1, 2, … among the offers that compete; null for the others, with the reason in `why`.'),
    standing: z.enum(['accepted', 'ranked', 'not-compliant', 'excluded']),
    why: text.nullable().describe('Why it has no rank.'),
    label: text.describe('Short and unique among the offers.'),
    developer: text.nullable(),
    project: text.nullable(),
    mitigationActivity: text.nullable().describe('The kind of project, as its listing states it.'),
    listingId: text.nullable(),
    status: text.nullable(),
    submittedAt: text.nullable(),
    late: z.boolean().nullable(),
    missingSince: text.nullable(),
    summaryOnly: z.boolean().describe('Only the summary within the RFQ is known.'),
    contractType: text.nullable(),
    expiryDate: text.nullable(),
    daysToExpiry: z.int().nullable(),
    tonnes: number,
    coverage: number.describe('Share of the requested tonnes, at most 1.'),
    own: money
      .extend({
        basis: z
          .enum(['lines', 'stated'])
          .nullable()
          .describe('Whether the figures are those of the delivery lines, or those stated.'),
      })
      .describe('As offered.'),
    compared: money
      .extend({
        costPerTonne: number.describe('By the price basis of the settings; ranks go by it.'),
        presentValuePerTonne: number,
      })
      .describe('In the currency of the comparison.'),
    prepaidShare: number,
    firstDelivery: text.nullable(),
    lastDelivery: text.nullable(),
    oldestVintage: number,
    newestVintage: number,
    awardedTonnes: z
      .number()
      .describe('Tonnes in the award of the desk, or else in the accepted or the recommended one; otherwise 0.'),
    notMet: z.array(notMet).describe('Empty if it meets everything.'),
    flags: z.array(z.strictObject({ loud: z.boolean(), message: text })).describe('Doubts, loud ones first.'),
    notes: text.nullable().describe('The notes of the seller to the buyer.'),
    version: z.int(),
    observedAt: text,
  })
  .meta({ id: 'ComparedOffer' })
export type OfferView = z.infer<typeof offerViewSchema>

/** The view of an offer of a report. */
export function offerView(
  offer: OfferReport,
  awardedTonnes: Readonly<Record<string, number>>,
  currency: string | null,
): OfferView {
  const { id, rank, standing, why, label, developer, project, listingId, status, submittedAt, late, missingSince } =
    offer
  const { terms, metrics, compared, flags, source } = offer
  return {
    ...{ id, number: offer.sequence, rank, standing, why, label, developer, project, listingId, status },
    ...{ submittedAt, late, missingSince },
    summaryOnly: offer.shape === 'summary',
    contractType: terms.contractType,
    expiryDate: terms.expiryDate,
    mitigationActivity: offer.listing.mitigationActivity,
    daysToExpiry: terms.daysToExpiry,
    tonnes: metrics.volume,
    coverage: metrics.coverage,
    own: {
      currency: terms.currency,
      total: metrics.total,
      pricePerTonne: metrics.pricePerTonne,
      basis: metrics.basis,
    },
    compared: {
      currency,
      total: compared.total,
      pricePerTonne: compared.pricePerTonne,
      costPerTonne: compared.costPerTonne,
      presentValuePerTonne: compared.presentValuePerTonne,
    },
    prepaidShare: metrics.prepaidShare,
    firstDelivery: metrics.firstDelivery,
    lastDelivery: metrics.lastDelivery,
    oldestVintage: metrics.oldestVintage,
    newestVintage: metrics.newestVintage,
    awardedTonnes: awardedTonnes[id] ?? 0,
    notMet: notMetBy(offer),
    flags: flags.map(({ loud, message }) => ({ loud, message })),
    notes: terms.notes,
    version: source.version,
    observedAt: source.observedAt,
  }
}

/** Why it cannot be awarded, then every hard requirement that it does not meet, then every advisory one. */
const notMetBy = ({ exclusions, unmet }: OfferReport): NotMet[] => [
  ...exclusions.map(({ code, message }): NotMet => ({ kind: 'excluded', label: EXCLUSION_LABELS[code], message })),
  ...unmet.map(({ name, met, level, message }): NotMet => {
    const label = `${REQUIREMENT_LABELS[name]}${met === null ? '?' : ''}`
    return level === 'hard'
      ? { kind: 'hard', label, message }
      : { kind: 'advisory', label, message: `${message.replace(/\.$/, '')} (advisory).` }
  }),
]

const EXCLUSION_LABELS: Record<Exclusion['code'], string> = {
  'no-offer': 'no terms',
  rejected: 'rejected',
  'not-open': 'not open',
  missing: 'no longer visible',
  'no-volume': 'no volume',
  'no-price': 'no price',
  'no-currency': 'no currency',
  'no-exchange-rate': 'no exchange rate',
  'left-out': 'left out',
}

const REQUIREMENT_LABELS: Record<UnmetRequirement['name'], string> = {
  reviewNotRejected: 'rejected in review',
  reviewAccepted: 'not yet accepted in review',
  notExpired: 'expired',
  contractType: 'contract type',
  vintages: 'vintages',
  fulfilmentDate: 'late delivery',
  priceMax: 'above maximum price',
  priceMin: 'below minimum price',
  submittedOnTime: 'submitted late',
  listing: 'other listing',
}

/** In one text; null if the offer meets everything. */
export const notMetText = (all: readonly NotMet[]): string | null =>
  all.length === 0 ? null : all.map(({ message }) => message).join(' ')

/** The title of a column of `notMetText`, which tells the kinds apart. */
export const NOT_MET_TITLE = 'Not met (hard unless marked)'
