/** A delivery line of an offer that is accepted, awarded on record or recommended: credits of a listing that are spoken for. */
export interface CreditClaim {
  /** The listing's id, which is the same in all channels, as `comparableId`. */
  listingId: string
  channel: string
  rfqId: string
  rfqNumber: number | null
  offerId: string
  kind: 'accepted' | 'awarded' | 'recommended'
  /** YYYY-MM-DD. */
  periodStart: string | null
  periodEnd: string | null
  /** Tonnes. */
  volume: number | null
}

/** A claim of an RFQ, without the RFQ. */
export type RfqClaim = Omit<CreditClaim, 'channel' | 'rfqId' | 'rfqNumber'>
