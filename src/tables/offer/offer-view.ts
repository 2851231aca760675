import type { Exclusion } from '../../compare/offer/eligibility.js'
import type { OfferReport, UnmetRequirement } from '../../compare/offer/offer-report-model.js'
import { formatRange } from '../../core/text/number-format.js'
import { type Column, column, money } from '../column.js'

/** One offer of a comparison. */
export interface OfferView extends OfferReport {
  /** Tonnes in the award of the desk, or else in the accepted or the recommended one; otherwise 0. */
  awardedTonnes: number
  /** The currency in which the offers of the RFQ are compared. */
  comparison: string | null
}

interface NotMet {
  /** `excluded`: why it can be part of no award. `hard`: why it is not compliant. `advisory`: prevents no award. */
  kind: 'excluded' | 'hard' | 'advisory'
  /** In two or three words; with a question mark if it could not be determined. */
  label: string
  message: string
}

/** Why it cannot be awarded, then every hard requirement that it does not meet, then every advisory one. */
export const notMetBy = ({ exclusions, unmet }: OfferReport): NotMet[] => [
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
export const doubtsOf = (offer: OfferReport): string[] => [
  ...(offer.missingSince === null ? [] : ['missing']),
  ...(offer.flags.some(({ loud }) => loud) ? ['loud doubts'] : []),
  ...notMetBy(offer).map(({ kind, label }) => (kind === 'advisory' ? `(${label})` : label)),
]

const messagesOf = (all: readonly { message: string }[]) => all.map(({ message }) => message).join(' ') || null
export const isConverted = ({ terms, comparison }: OfferView) => terms.currency !== comparison
/** What is the same as the price is left out. */
const costOf = ({ compared: { costPerTonne, pricePerTonne } }: OfferView) =>
  costPerTonne !== null && pricePerTonne !== null && Math.abs(costPerTonne - pricePerTonne) < 1e-6 ? null : costPerTonne

/** The table of the offers for an RFQ, as every surface prints it. */
export const OFFER_COLUMNS: readonly Column<OfferView>[] = [
  column('rank', 'Rank', 'count', 9, ({ rank }) => rank),
  column('number', 'No.', 'id', 9, ({ sequence }) => sequence),
  column('offer', 'Offer', 'text', 9, offerName),
  column('price', 'Price', 'price', 9, ({ compared, comparison }) => money(compared.pricePerTonne, comparison)),
  column('cost', 'Present value', 'price', 6, (offer) => money(costOf(offer), offer.comparison)),
  column('ownPrice', 'As offered', 'price', 6, (offer) =>
    isConverted(offer) ? money(offer.metrics.pricePerTonne, offer.terms.currency) : null,
  ),
  column('tonnes', 'Tonnes', 'tonnes', 9, ({ metrics }) => metrics.volume),
  column('total', 'Total', 'money', 7, ({ compared, comparison }) => money(compared.total, comparison)),
  column('awardedTonnes', 'Award', 'tonnes', 8, ({ awardedTonnes }) => awardedTonnes || null),
  column('doubts', 'To check', 'state', 9, doubtsOf),
  column('expires', 'Expires', 'date', 5, ({ terms }) => terms.expiryDate),
  column('firstDelivery', 'First delivery', 'date', 4, ({ metrics }) => metrics.firstDelivery),
  column('lastDelivery', 'Last delivery', 'date', 3, ({ metrics: { firstDelivery, lastDelivery } }) =>
    lastDelivery === firstDelivery ? null : lastDelivery,
  ),
  column('vintages', 'Vintages', 'text', 4, ({ metrics }) =>
    formatRange(metrics.oldestVintage, metrics.newestVintage, String),
  ),
  column('status', 'Status', 'state', 2, ({ status }) => status),
  column('coverage', 'Covers', 'percent', 2, ({ metrics }) => metrics.coverage),
  column('activity', 'Activity', 'text', 1, ({ listing: of }) => of.mitigationActivity),
  column('prepaid', 'Pre-paid', 'percent', 1, ({ metrics }) => metrics.prepaidShare),
  column('contract', 'Contract', 'text', 1, ({ terms }) => terms.contractType),
  column('review', 'Review', 'state', 0, ({ terms }) => terms.review?.status ?? null),
  column('submitted', 'Submitted', 'moment', 0, ({ submittedAt }) => submittedAt),
  column('late', 'Late', 'text', 0, ({ late }) => late),
  column('missingSince', 'Missing since', 'moment', 0, (offer) => offer.missingSince),
  column('standing', 'Standing', 'text', 0, ({ standing }) => standing),
  column('why', 'Not ranked because', 'text', 0, ({ why }) => why),
  column('notMet', 'Not met', 'text', 0, (offer) => messagesOf(notMetBy(offer))),
  column('flags', 'Doubts', 'text', 0, ({ flags }) => messagesOf(flags)),
  column('notes', 'Notes', 'text', 0, ({ terms }) => terms.notes),
  column('presentValue', 'Present value per tonne', 'price', 0, ({ compared, comparison }) =>
    money(compared.presentValuePerTonne, comparison),
  ),
  column('ownTotal', 'Total as offered', 'money', 0, (offer) =>
    isConverted(offer) ? money(offer.metrics.total, offer.terms.currency) : null,
  ),
  column('exchangeRate', 'Exchange rate', 'id', 0, (offer) => (isConverted(offer) ? offer.compared.rate : null)),
  column('basis', 'Figures of', 'text', 0, ({ metrics }) => metrics.basis),
  column('statedTonnes', 'Stated tonnes', 'tonnes', 0, ({ terms }) => terms.statedVolume),
  column('statedTotal', 'Stated total', 'money', 0, ({ terms }) => money(terms.statedTotal, terms.currency)),
  column('country', 'Country', 'text', 0, ({ listing: of }) => of.country),
  column('registry', 'Registry', 'text', 0, ({ listing: of }) => of.registry),
  column('registryId', 'Registry id', 'id', 0, ({ listing: of }) => of.registryId),
  column('methodologies', 'Methodologies', 'text', 0, ({ listing: of }) => of.methodologies),
  column('ecosystems', 'Ecosystems', 'text', 0, ({ listing: of }) => [...of.ecosystemTypes, ...of.ecosystemSubtypes]),
  column('labels', 'Labels', 'text', 0, ({ listing: of }) => of.labels),
  column('available', 'Listing has', 'tonnes', 0, ({ listing: of }) => of.availableVolume),
  column('storefront', 'Listing', 'text', 0, ({ listing: of }) => of.storefrontUrl),
  column('listingId', 'Listing id', 'id', 0, ({ listingId }) => listingId),
  column('summaryOnly', 'Summary only', 'text', 0, ({ shape }) => shape === 'summary' || null),
  column('developer', 'Developer', 'text', 0, ({ developer }) => developer),
  column('project', 'Project', 'text', 0, ({ project }) => project),
  column('id', 'Id', 'id', 0, ({ id }) => id),
  column('version', 'Version', 'id', 0, ({ source }) => source.version),
  column('changed', 'Changed', 'moment', 0, ({ source }) => source.observedAt),
]
