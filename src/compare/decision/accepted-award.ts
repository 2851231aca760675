import { plausibleOrNull, ratio, sum } from '../../core/numbers.js'
import { formatMoney, formatPercent, formatPricePerTonne, formatTonnes } from '../../core/text/number-format.js'
import {
  type AwardContext,
  amountsText,
  awardOf,
  type Candidate,
  candidatesOf,
  offersText,
} from '../awards/award-figures.js'
import { atLeast } from '../awards/efficient-awards.js'
import { tonnesOf, totalOf } from '../offer/known-amounts.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import type { AcceptedAward } from './decision-model.js'

/** What is accepted, as far as it is known; null if no offer is. */
export function acceptedAward(offers: readonly OfferReport[], context: AwardContext): AcceptedAward | null {
  const accepted = offers.filter(({ standing }) => standing === 'accepted')
  if (accepted.length === 0) return null
  const candidates = candidatesOf(accepted)
  const award = candidates.length < accepted.length ? null : awardOf(candidates, context)
  const named = accepted.map((offer) => ({ id: offer.id, number: offer.sequence, name: context.nameOf(offer) }))
  const tonnes = sum(accepted.map((offer) => tonnesOf(offer) ?? 0))
  const what = award === null ? accepted.map((offer) => ownAmounts(offer, candidates)).join('; ') : amountsText(award)
  const isKnown = accepted.every((offer) => tonnesOf(offer) !== null)
  const names = offersText(named.map((offer) => ({ ...offer, shareOfOffer: 1 })))
  return {
    offers: named,
    tonnes,
    award,
    message: `Accepted: ${names}: ${what}.${coverageText(tonnes, isKnown, context)}`,
  }
}

/** What is known of an offer, in its own currency: `5,000 t at 8.33 EUR/t, which cannot be compared`. */
function ownAmounts(offer: OfferReport, comparable: readonly Candidate[]): string {
  const [tonnes, total] = [tonnesOf(offer), plausibleOrNull(totalOf(offer))]
  const price = ratio(total, tonnes)
  const { currency } = offer.terms
  const cost =
    price !== null
      ? ` at ${formatPricePerTonne(price, currency)}`
      : total === null
        ? ''
        : ` for ${formatMoney(total, currency)}`
  return `${tonnes === null ? 'unknown tonnes' : formatTonnes(tonnes)}${cost}${comparable.some((one) => one.offer === offer) ? '' : ', which cannot be compared'}`
}

function coverageText(tonnes: number, isKnown: boolean, { lower }: AwardContext): string {
  if (lower === null) return ''
  if (tonnes >= atLeast(lower)) return ` That covers the ${formatTonnes(lower)} asked for.`
  const share = formatPercent(tonnes / lower)
  return isKnown
    ? ` That is ${share} of the ${formatTonnes(lower)} asked for.`
    : ` That is at least ${share} of the ${formatTonnes(lower)} asked for.`
}
