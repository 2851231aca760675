import type { Timestamp } from '../time/clock.js'

/** An offer of a recommended award. */
interface RecommendedOffer {
  id: string
  /** Its number in the report. */
  number: number
  /** `Developer · Project`, as far as they are known. */
  name: string
  tonnes: number
  /** Amount payable, in the currency of the recommendation. */
  total: number
  pricePerTonne: number
}

/** What is recommended for an RFQ, and its figures; null without an award. */
export interface RecommendationFigures {
  /** `Recommendation.status` of the comparison. */
  status: string
  /** The offers to award; accepted ones are not included. */
  offers: RecommendedOffer[]
  tonnes: number | null
  /** Amount payable. */
  cost: number | null
  pricePerTonne: number | null
  /** In which offers are compared. */
  currency: string | null
}

/** What was recommended for an RFQ from a moment on. */
export interface RecordedRecommendation extends RecommendationFigures {
  channel: string
  rfqId: string
  at: Timestamp
  /** With the exchange rates of the moment, as they were stored. */
  settings: unknown
  /** Why it differs from what was recommended before; null of the first one. */
  reason: string | null
}

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
