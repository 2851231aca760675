import { formatAmount, formatPrice, truncate } from '../../core/text/number-format.js'
import type { Exclusion } from '../offer/eligibility.js'
import type { OfferReport, UnmetRequirement } from '../offer/offer-report-model.js'
import type { ExcludedOffer } from './decision-model.js'

/** The offers that do not compete, in the order of the report. */
export const excludedOffers = (
  offers: readonly OfferReport[],
  nameOf: (offer: OfferReport) => string,
): ExcludedOffer[] =>
  offers
    .filter(({ standing }) => standing !== 'ranked')
    .map((offer) => {
      const code =
        offer.standing === 'accepted' ? 'accepted' : (offer.exclusions[0]?.code ?? offer.unmet[0]?.name ?? 'no-offer')
      return { offerId: offer.id, number: offer.sequence, name: nameOf(offer), code, message: offer.why ?? '' }
    })

/**
 * How many offers were compared, and what became of the others: `2 of 4 offers compared; 1 in EUR without a rate (8.33 EUR/t), 1 without
 * volume.` Every offer is counted once.
 */
export function accountingText(offers: readonly OfferReport[]): string {
  const others = new Map<string, OfferReport[]>()
  for (const offer of offers.filter(({ standing }) => standing !== 'ranked')) {
    const why = reasonOf(offer)
    others.set(why, [...(others.get(why) ?? []), offer])
  }
  const compared = offers.filter(({ standing }) => standing === 'ranked').length
  if (others.size === 0)
    return offers.length === 1 ? 'It is the only offer.' : `All ${formatAmount(offers.length)} offers compared.`
  const groups = [...others].map(([why, group]) => `${group.length} ${why}${pricesOf(group)}`)
  return `${compared} of ${formatAmount(offers.length)} offers compared; ${groups.join(', ')}.`
}

/** The first reason why an offer does not compete, as it follows a number of offers. */
function reasonOf(offer: OfferReport): string {
  if (offer.standing === 'accepted') return 'accepted'
  const [exclusion] = offer.exclusions
  if (exclusion !== undefined) return exclusionText(exclusion.code, offer)
  const [unmet] = offer.unmet
  return unmet === undefined ? 'not comparable' : unmetText(unmet, offer)
}

function exclusionText(code: Exclusion['code'], { status, terms }: OfferReport): string {
  switch (code) {
    case 'not-open':
      return status === null ? 'without a status' : `with the status “${truncate(status, 30)}”`
    case 'no-exchange-rate':
      return `in ${terms.currencyCode} without a rate`
    default:
      return EXCLUSION_TEXT[code]
  }
}

const EXCLUSION_TEXT: Record<Exclude<Exclusion['code'], 'not-open' | 'no-exchange-rate'>, string> = {
  'no-offer': 'unreadable',
  rejected: 'rejected',
  missing: 'no longer visible',
  'not-listed': 'no longer listed',
  'no-volume': 'without volume',
  'no-price': 'without price',
  'no-currency': 'without currency',
}

function unmetText({ name, met }: UnmetRequirement, { shape }: OfferReport): string {
  if (met !== null) return NOT_MET_TEXT[name]
  return shape === 'summary' ? 'not read in full yet' : `whose ${UNKNOWN_FACT[name]} cannot be checked`
}

const NOT_MET_TEXT: Record<UnmetRequirement['name'], string> = {
  reviewNotRejected: 'rejected in review',
  reviewAccepted: 'not accepted in review',
  notExpired: 'expired',
  contractType: 'with another contract type',
  vintages: 'with vintages outside the range',
  fulfilmentDate: 'with delivery too late',
  priceMax: 'above the maximum price',
  priceMin: 'below the minimum price',
  submittedOnTime: 'submitted late',
  listing: 'for another listing',
}

/** What a requirement is about that is not determinable: the offer does not say it, or the limit of the RFQ cannot be read. */
const UNKNOWN_FACT: Record<UnmetRequirement['name'], string> = {
  reviewNotRejected: 'review',
  reviewAccepted: 'review',
  notExpired: 'expiry date',
  contractType: 'contract type',
  vintages: 'vintages',
  fulfilmentDate: 'delivery dates',
  priceMax: 'price',
  priceMin: 'price',
  submittedOnTime: 'time of submission',
  listing: 'listing',
}

/** Prices in their own currency, of offers that lack nothing but a rate: ` (8.33 EUR/t)`, ` (8.33 to 9.10 EUR/t)`. */
function pricesOf(group: readonly OfferReport[]): string {
  if (group[0]?.standing !== 'excluded' || group[0].exclusions[0]?.code !== 'no-exchange-rate') return ''
  const prices = group.flatMap(({ metrics }) => metrics.pricePerTonne ?? []).sort((a, b) => a - b)
  const [lowest, highest] = [prices[0], prices.at(-1)]
  if (lowest === undefined || highest === undefined) return ''
  const range = lowest === highest ? formatPrice(lowest) : `${formatPrice(lowest)} to ${formatPrice(highest)}`
  return ` (${range} ${group[0].terms.currencyCode}/t)`
}
