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

/** What is recommended for an RFQ, and its figures. */
export interface RecommendationFigures {
  /** `Recommendation.status` of the comparison. */
  status: string
  /** The offers to award; accepted ones are not included. */
  offers: RecommendedOffer[]
  /** Of the award; null if there is none. */
  tonnes: number | null
  /** Amount payable; null if there is no award. */
  cost: number | null
  pricePerTonne: number | null
  /** In which offers are compared. */
  currency: string | null
  /** The share of the requested tonnes that the offers which compete cover, at most 1; null if no volume is requested. */
  coverage: number | null
  /** The lowest price per tonne of the offers that compete. */
  bestPrice: number | null
}

/** What was recommended for an RFQ from a moment on. */
export interface RecordedRecommendation extends RecommendationFigures {
  channel: string
  rfqId: string
  at: Timestamp
  /** With the exchange rates of the moment, as they were stored. */
  settings: unknown
  /** Why status or offers differ from what was recommended before; null if only figures do, and of the first one. */
  reason: string | null
}

/** The figures of a recommendation, without when and why it was recorded. */
export const figuresOfRecommendation = ({
  status,
  offers,
  tonnes,
  cost,
  pricePerTonne,
  currency,
  coverage,
  bestPrice,
}: RecommendationFigures): RecommendationFigures => ({
  ...{ status, offers, tonnes, cost, pricePerTonne, currency, coverage, bestPrice },
})

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
