import { isComparable } from './eligibility.js'
import type { OfferReport } from './offer-report-model.js'

/** Whether the marketplace shows the offer as accepted. */
export const isAccepted = ({ status }: Pick<OfferReport, 'status'>): boolean => status === 'accepted'

/** Whether the offer can be compared, and is open or accepted: only these are in an award. */
export const isInPlay = (offer: Pick<OfferReport, 'exclusions' | 'status'>): boolean =>
  isAccepted(offer) ? isComparable(offer.exclusions) : offer.exclusions.length === 0

/** An offer whose standing is not determined yet. */
type Unranked = Omit<OfferReport, 'standing' | 'why' | 'rank'>

/**
 * Ranks the offers that compete by cost per tonne, ties to the lower sequence.
 * @returns accepted offers first, then those that compete by rank, then the others by sequence
 */
export function rankOffers(offers: readonly Unranked[]): OfferReport[] {
  const assessed = offers.map((offer) => ({ ...offer, ...standingOf(offer), rank: null as number | null }))
  const cost = ({ compared }: Unranked) => compared.costPerTonne ?? 0
  assessed
    .filter(({ standing }) => standing === 'ranked')
    .sort((a, b) => cost(a) - cost(b) || a.sequence - b.sequence)
    .forEach((offer, at) => {
      offer.rank = at + 1
    })
  const place = ({ standing, rank }: (typeof assessed)[number]) =>
    standing === 'accepted' ? 0 : (rank ?? Number.POSITIVE_INFINITY)
  return assessed.sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)) || a.sequence - b.sequence)
}

function standingOf(offer: Unranked): Pick<OfferReport, 'standing' | 'why'> {
  if (isAccepted(offer)) return { standing: 'accepted', why: 'The offer is accepted.' }
  if (offer.exclusions.length > 0)
    return { standing: 'excluded', why: offer.exclusions.map(({ message }) => message).join(' ') }
  const hard = offer.unmet.filter(({ level }) => level === 'hard')
  if (hard.length > 0) return { standing: 'not-compliant', why: hard.map(({ message }) => message).join(' ') }
  return { standing: 'ranked', why: null }
}
