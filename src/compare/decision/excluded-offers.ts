import { oneLine, truncate } from '../../core/text/clean-text.js'
import { formatAmount, formatPrice } from '../../core/text/number-format.js'
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
 * How many offers were compared, and why the others were not: `2 of 4 offers compared; 1 is in EUR without an exchange rate
 * (8.33 EUR/t), 1 has no volume.` An offer counts for each of its reasons.
 */
export function accountingText(offers: readonly OfferReport[]): string {
  const others = new Map<string, OfferReport[]>()
  for (const offer of offers.filter(({ standing }) => standing !== 'ranked'))
    for (const why of obstaclesOf(offer)) others.set(why, [...(others.get(why) ?? []), offer])
  const compared = offers.filter(({ standing }) => standing === 'ranked').length
  const reasons = [...others.values()].reduce((sum, group) => sum + group.length, 0)
  const several = reasons > offers.length - compared ? ' (some for several reasons)' : ''
  if (others.size === 0) return `All ${formatAmount(offers.length)} offers compared.`
  const groups = [...others].map(([why, group]) => {
    const prices = why === obstacleOf(group[0] as OfferReport) ? pricesOf(group) : ''
    return `${group.length} ${group.length === 1 ? why : pluralOf(why)}${prices}`
  })
  return `${compared} of ${formatAmount(offers.length)} offers compared; ${groups.join(', ')}${several}.`
}

/**
 * The first reason why an offer does not compete, as a predicate that follows its name: `has no volume`.
 * @param offer one whose `standing` is not `ranked`
 */
export const obstacleOf = (offer: OfferReport): string => obstaclesOf(offer)[0] ?? 'is not comparable'

/** Why it can be part of no award, and every hard requirement that it does not meet, unless it is gone. */
function obstaclesOf(offer: OfferReport): string[] {
  if (offer.standing === 'accepted') return ['is accepted']
  const [exclusion] = offer.exclusions
  const own = exclusion === undefined ? [] : [exclusionText(exclusion.code, offer)]
  if (exclusion !== undefined && isGone(exclusion)) return own
  const unmet = offer.unmet.filter(({ level }) => level === 'hard')
  return [...new Set([...own, ...unmet.map((one) => unmetText(one, offer))])]
}

/** Whether nothing but its developer or its buyer could bring an offer back. */
const isGone = ({ code }: Exclusion) => ['rejected', 'missing', 'not-open', 'no-offer', 'left-out'].includes(code)

/** The same; of an offer that lacks only an exchange rate, with its price: `is in EUR without an exchange rate (8.33 EUR/t)`. */
export const obstacleWithPrice = (offer: OfferReport): string => `${obstacleOf(offer)}${pricesOf([offer])}`

const PLURALS: Record<string, string> = { is: 'are', has: 'have', was: 'were' }
const pluralOf = (predicate: string) => predicate.replace(/^(is|has|was)\b/, (verb) => PLURALS[verb] ?? verb)

function exclusionText(code: Exclusion['code'], { status, terms }: OfferReport): string {
  switch (code) {
    case 'not-open':
      return status === null ? 'has no status' : `has the status “${truncate(oneLine(status), 30)}”`
    case 'no-exchange-rate':
      return `is in ${terms.currencyCode} without an exchange rate`
    default:
      return EXCLUSION_TEXT[code]
  }
}

const EXCLUSION_TEXT: Record<Exclude<Exclusion['code'], 'not-open' | 'no-exchange-rate'>, string> = {
  'no-offer': 'is unreadable',
  rejected: 'was rejected',
  missing: 'is no longer visible',
  'no-volume': 'has no volume',
  'no-price': 'has no price',
  'no-currency': 'has no currency',
  'left-out': 'is left out',
}

/** A fact is unknown if the offer does not state it, or if the limit of the RFQ is unreadable. */
function unmetText({ name, title, met }: UnmetRequirement, { shape }: OfferReport): string {
  if (met !== null) return NOT_MET_TEXT[name]
  return shape === 'summary' ? 'is not read in full yet' : `cannot be checked for “${title}”`
}

const NOT_MET_TEXT: Record<UnmetRequirement['name'], string> = {
  reviewNotRejected: 'was rejected in review',
  reviewAccepted: 'is not yet accepted in review',
  notExpired: 'has expired',
  contractType: 'has another contract type',
  vintages: 'has vintages outside the range',
  fulfilmentDate: 'is delivered too late',
  priceMax: 'is above the maximum price',
  priceMin: 'is below the minimum price',
  submittedOnTime: 'was submitted late',
  listing: 'is for another listing',
}

/** Prices in their own currency, of offers that lack only an exchange rate: ` (8.33 EUR/t)`, ` (8.33 to 9.10 EUR/t)`. */
function pricesOf(group: readonly OfferReport[]): string {
  if (group[0]?.standing !== 'excluded' || group[0].exclusions[0]?.code !== 'no-exchange-rate') return ''
  const prices = group.flatMap(({ metrics }) => metrics.pricePerTonne ?? []).sort((a, b) => a - b)
  const [lowest, highest] = [prices[0], prices.at(-1)]
  if (lowest === undefined || highest === undefined) return ''
  const range = lowest === highest ? formatPrice(lowest) : `${formatPrice(lowest)} to ${formatPrice(highest)}`
  return ` (${range} ${group[0].terms.currencyCode}/t)`
}
