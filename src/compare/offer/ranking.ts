import { isComparable } from './eligibility.js'
import type { OfferReport } from './offer-report-model.js'

/** Whether the marketplace shows the offer as accepted. */
export const isAccepted = ({ status }: Pick<OfferReport, 'status'>): boolean => status === 'accepted'

/** Whether the offer can be compared, and is open or accepted: only these are in an award. */
export const isInPlay = (offer: Pick<OfferReport, 'exclusions' | 'status'>): boolean =>
  isAccepted(offer) ? isComparable(offer.exclusions) : offer.exclusions.length === 0

/** What decides the standing of an offer. */
type Unranked = Pick<OfferReport, 'status' | 'exclusions' | 'unmet'>

/** The standing of an offer, and why it has no rank. */
export function standingOf(offer: Unranked): Pick<OfferReport, 'standing' | 'why'> {
  if (isAccepted(offer)) return { standing: 'accepted', why: 'The offer is accepted.' }
  if (offer.exclusions.length > 0)
    return { standing: 'excluded', why: offer.exclusions.map(({ message }) => message).join(' ') }
  const hard = offer.unmet.filter(({ level }) => level === 'hard')
  if (hard.length > 0) return { standing: 'not-compliant', why: hard.map(({ message }) => message).join(' ') }
  return { standing: 'ranked', why: null }
}

const PLACES: Record<OfferReport['standing'], number> = { accepted: 0, ranked: 1, 'not-compliant': 2, excluded: 2 }

/**
 * Ranks the offers that compete by cost per tonne, ties to the lower sequence.
 * @returns the same offers: accepted ones first, then those that compete by rank, then the others by sequence
 */
export function rankOffers(offers: readonly OfferReport[]): OfferReport[] {
  const cost = ({ standing, compared }: OfferReport) => (standing === 'ranked' ? (compared.costPerTonne ?? 0) : 0)
  const sorted = [...offers].sort(
    (a, b) => PLACES[a.standing] - PLACES[b.standing] || cost(a) - cost(b) || a.sequence - b.sequence,
  )
  let rank = 0
  for (const offer of sorted) if (offer.standing === 'ranked') offer.rank = ++rank
  return sorted
}
