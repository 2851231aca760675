import { z } from 'zod'
import type { Exclusion } from '../../compare/offer/eligibility.js'
import type { OfferReport, UnmetRequirement } from '../../compare/offer/offer-report-model.js'
import { formatRange } from '../../core/text/number-format.js'
import { type Column, column, money } from '../column.js'
import { pick, text } from '../schema.js'

const number = z.number().nullable()

const listing = z.strictObject({
  country: text.nullable(),
  registry: text.nullable(),
  registryId: text.nullable(),
  methodologies: z.array(text),
  mitigationActivity: text.nullable().describe('The kind of project.'),
  ecosystems: z.array(text),
  labels: z.array(text),
  availableVolume: number,
  storefrontUrl: text.nullable(),
})

/** Money in one currency: the offer's own, or the one in which the offers of the RFQ are compared. */
const amounts = z.strictObject({ currency: text.nullable(), total: number, pricePerTonne: number })

const ownAmounts = amounts.extend({
  basis: z
    .enum(['lines', 'stated'])
    .nullable()
    .describe('Whether the figures are those of the delivery lines, or those stated.'),
  statedTonnes: number,
  statedTotal: number,
})

const comparedAmounts = amounts.extend({
  exchangeRate: number.describe('Into this currency; null if none is known.'),
  costPerTonne: number.describe('By the price basis of the settings; ranks go by it.'),
  presentValuePerTonne: number,
})

const flagSchema = z.strictObject({ loud: z.boolean(), message: text })

const notMet = z.strictObject({
  kind: z
    .enum(['excluded', 'hard', 'advisory'])
    .describe(
      '`excluded`: why it can be part of no award. `hard`: why it is not compliant. `advisory`: prevents no award.',
    ),
  label: text.describe('In two or three words; with a question mark if it could not be determined.'),
  message: text,
})
type NotMet = z.infer<typeof notMet>

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
    listingId: text.nullable(),
    listing: listing.describe('The project, as the developer describes it in its listing.'),
    status: text.nullable(),
    reviewStatus: text.nullable(),
    submittedAt: text.nullable(),
    late: z.boolean().nullable(),
    missingSince: text.nullable(),
    summaryOnly: z.boolean().describe('Only the summary within the RFQ is known.'),
    contractType: text.nullable(),
    expiryDate: text.nullable(),
    daysToExpiry: z.int().nullable(),
    tonnes: number,
    coverage: number.describe('Share of the requested tonnes, at most 1.'),
    own: ownAmounts.describe('As offered.'),
    compared: comparedAmounts.describe('In the currency of the comparison.'),
    prepaidShare: number,
    firstDelivery: text.nullable(),
    lastDelivery: text.nullable(),
    oldestVintage: number,
    newestVintage: number,
    awardedTonnes: z
      .number()
      .describe('Tonnes in the award of the desk, or else in the accepted or the recommended one; otherwise 0.'),
    notMet: z.array(notMet).describe('Empty if it meets everything.'),
    flags: z.array(flagSchema).describe('Doubts, loud ones first.'),
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
  const { terms, metrics } = offer
  const ecosystems = [...offer.listing.ecosystemTypes, ...offer.listing.ecosystemSubtypes]
  const { contractType, expiryDate, daysToExpiry, notes, statedTotal } = terms
  return pick(offerViewSchema, {
    ...{ ...metrics, ...offer.source, ...offer, contractType, expiryDate, daysToExpiry, notes },
    number: offer.sequence,
    listing: pick(listing, { ...offer.listing, ecosystems }),
    reviewStatus: terms.review?.status ?? null,
    summaryOnly: offer.shape === 'summary',
    tonnes: metrics.volume,
    own: pick(ownAmounts, { ...metrics, currency: terms.currency, statedTonnes: terms.statedVolume, statedTotal }),
    compared: pick(comparedAmounts, { ...offer.compared, currency, exchangeRate: offer.compared.rate }),
    awardedTonnes: awardedTonnes[offer.id] ?? 0,
    notMet: notMetBy(offer),
    flags: offer.flags.map((flag) => pick(flagSchema, { ...flag })),
  })
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

/** Its developer and its project. */
export const offerName = ({ developer, project, label }: Pick<OfferView, 'developer' | 'project' | 'label'>): string =>
  developer !== null && project !== null ? `${developer} · ${project}` : label

/** What to know about it in a few words each, advisory requirements in brackets; the messages say more. */
export const doubtsOf = ({ notMet, flags, missingSince }: OfferView): string[] => [
  ...(missingSince === null ? [] : ['missing']),
  ...(flags.some(({ loud }) => loud) ? ['loud doubts'] : []),
  ...notMet.map(({ kind, label }) => (kind === 'advisory' ? `(${label})` : label)),
]

const messagesOf = (all: readonly { message: string }[]) => all.map(({ message }) => message).join(' ') || null
const isConverted = ({ own, compared }: OfferView) => own.currency !== compared.currency
/** What is the same as the price is left out. */
const costOf = ({ compared: { costPerTonne, pricePerTonne } }: OfferView) =>
  costPerTonne !== null && pricePerTonne !== null && Math.abs(costPerTonne - pricePerTonne) < 1e-6 ? null : costPerTonne

/** The table of the offers for an RFQ, as every surface prints it. */
export const OFFER_COLUMNS: readonly Column<OfferView>[] = [
  column('rank', 'Rank', 'count', 9, ({ rank }) => rank),
  column('number', 'No.', 'id', 9, (offer) => offer.number),
  column('offer', 'Offer', 'text', 9, offerName),
  column('price', 'Price', 'price', 9, ({ compared }) => money(compared.pricePerTonne, compared.currency)),
  column('cost', 'Present value', 'price', 6, (offer) => money(costOf(offer), offer.compared.currency)),
  column('ownPrice', 'As offered', 'price', 6, (offer) =>
    isConverted(offer) ? money(offer.own.pricePerTonne, offer.own.currency) : null,
  ),
  column('tonnes', 'Tonnes', 'tonnes', 9, ({ tonnes }) => tonnes),
  column('total', 'Total', 'money', 7, ({ compared }) => money(compared.total, compared.currency)),
  column('awardedTonnes', 'Award', 'tonnes', 8, ({ awardedTonnes }) => awardedTonnes || null),
  column('doubts', 'To check', 'state', 9, doubtsOf),
  column('expires', 'Expires', 'date', 5, ({ expiryDate }) => expiryDate),
  column('firstDelivery', 'First delivery', 'date', 4, (offer) => offer.firstDelivery),
  column('lastDelivery', 'Last delivery', 'date', 3, ({ firstDelivery, lastDelivery }) =>
    lastDelivery === firstDelivery ? null : lastDelivery,
  ),
  column('vintages', 'Vintages', 'text', 4, ({ oldestVintage, newestVintage }) =>
    formatRange(oldestVintage, newestVintage, String),
  ),
  column('status', 'Status', 'state', 2, ({ status }) => status),
  column('coverage', 'Covers', 'percent', 2, ({ coverage }) => coverage),
  column('activity', 'Activity', 'text', 1, ({ listing: of }) => of.mitigationActivity),
  column('prepaid', 'Pre-paid', 'percent', 1, ({ prepaidShare }) => prepaidShare),
  column('contract', 'Contract', 'text', 1, ({ contractType }) => contractType),
  column('review', 'Review', 'state', 0, ({ reviewStatus }) => reviewStatus),
  column('submitted', 'Submitted', 'moment', 0, ({ submittedAt }) => submittedAt),
  column('late', 'Late', 'text', 0, ({ late }) => late),
  column('missingSince', 'Missing since', 'moment', 0, (offer) => offer.missingSince),
  column('standing', 'Standing', 'text', 0, ({ standing }) => standing),
  column('why', 'Not ranked because', 'text', 0, ({ why }) => why),
  column('notMet', 'Not met', 'text', 0, ({ notMet: all }) => messagesOf(all)),
  column('flags', 'Doubts', 'text', 0, ({ flags }) => messagesOf(flags)),
  column('notes', 'Notes', 'text', 0, ({ notes }) => notes),
  column('presentValue', 'Present value per tonne', 'price', 0, ({ compared }) =>
    money(compared.presentValuePerTonne, compared.currency),
  ),
  column('ownTotal', 'Total as offered', 'money', 0, (offer) =>
    isConverted(offer) ? money(offer.own.total, offer.own.currency) : null,
  ),
  column('exchangeRate', 'Exchange rate', 'id', 0, (offer) =>
    isConverted(offer) ? offer.compared.exchangeRate : null,
  ),
  column('basis', 'Figures of', 'text', 0, ({ own }) => own.basis),
  column('statedTonnes', 'Stated tonnes', 'tonnes', 0, ({ own }) => own.statedTonnes),
  column('statedTotal', 'Stated total', 'money', 0, ({ own }) => money(own.statedTotal, own.currency)),
  column('country', 'Country', 'text', 0, ({ listing: of }) => of.country),
  column('registry', 'Registry', 'text', 0, ({ listing: of }) => of.registry),
  column('registryId', 'Registry id', 'id', 0, ({ listing: of }) => of.registryId),
  column('methodologies', 'Methodologies', 'text', 0, ({ listing: of }) => of.methodologies),
  column('ecosystems', 'Ecosystems', 'text', 0, ({ listing: of }) => of.ecosystems),
  column('labels', 'Labels', 'text', 0, ({ listing: of }) => of.labels),
  column('available', 'Listing has', 'tonnes', 0, ({ listing: of }) => of.availableVolume),
  column('storefront', 'Listing', 'text', 0, ({ listing: of }) => of.storefrontUrl),
  column('developer', 'Developer', 'text', 0, ({ developer }) => developer),
  column('project', 'Project', 'text', 0, ({ project }) => project),
  column('id', 'Id', 'id', 0, ({ id }) => id),
  column('version', 'Version', 'id', 0, ({ version }) => version),
  column('changed', 'Changed', 'moment', 0, ({ observedAt }) => observedAt),
]
