import type { OfferReport } from '../compare/offer/offer-report-model.js'
import type { AwardFacts } from '../core/decision/award-record.js'
import type { CreditClaim, RfqClaim } from '../core/decision/credit-claim.js'
import { comparableId } from '../core/documents/identifier.js'
import type { RfqState } from './rfq-state.js'

/**
 * The credits that the offers for an RFQ claim. Of an open one: what is accepted, else awarded on record, else recommended. Of another one:
 * what is awarded on record, until the marketplace shows it as accepted or rejected; what is recommended while nobody has decided.
 * @param standing the desk's award on record
 */
export function claimsOf(
  { facts, figures, recommendation, assessed: { rfq, offers } }: RfqState,
  standing: AwardFacts | undefined,
): RfqClaim[] {
  const isOpen = facts.state === 'open' && rfq.missingSince === null
  const awarded = new Set(standing?.offers.map(({ id }) => id))
  const recommended = new Set(standing === undefined ? recommendation.offers.map(({ id }) => id) : [])
  const kindOf = ({ id, status }: OfferReport): CreditClaim['kind'] | null => {
    if (status === 'rejected') return null
    if (status === 'accepted') return isOpen ? 'accepted' : null
    if (awarded.has(id)) return 'awarded'
    return recommended.has(id) && (isOpen || figures.undecided) ? 'recommended' : null
  }
  return offers.flatMap((offer) => {
    const [kind, { id: offerId, listingId, lines }] = [kindOf(offer), offer]
    if (kind === null || listingId === null) return []
    return lines.map(({ periodStart, periodEnd, volume }) => ({
      ...{ listingId: comparableId(listingId), offerId, kind, periodStart, periodEnd, volume },
    }))
  })
}
