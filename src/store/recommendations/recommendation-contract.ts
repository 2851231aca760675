import type { CreditClaim } from '../../core/decision/credit-claim.js'
import type { RecordedRecommendation } from '../../core/decision/recommendation.js'
import type { Settings } from '../../core/decision/settings.js'
import type { EventData } from '../../core/events/events.js'
import type { Timestamp } from '../../core/time/clock.js'
import type { Holder } from '../runs/process-holder.js'

/** An RFQ whose recommendation must be recomputed. */
export interface DirtyRfq {
  channel: string
  rfqId: string
  /** How often it was marked. */
  marks: number
}

/** The data of an RFQ that lists show, and from which state it was computed. */
export interface RfqRow {
  channel: string
  rfqId: string
  version: number
  valid: boolean
  /** The number of offers that are not missing. */
  presentOffers: number
  /** JSON: the data of the RFQ itself. */
  facts: string
  /** JSON: the figures of its offers. */
  figures: string
  /** JSON: the state of the standing award on the marketplace; null if there is none. */
  award: string | null
  /** Its status; null if there is none. */
  awardStatus: string | null
  /** JSON: what is accepted, awarded and recommended; null if nothing is. */
  stakes: string | null
  /** JSON: its `RfqClaim`s; null if it has none. */
  claims: string | null
  /** Whether a person has to look at the RFQ, whatever its due date: not at all, soon, or now. */
  attention: Attention
  /** The row is valid from this moment until something changes. */
  computedAt: Timestamp
  /** The values by which lists are searched and sorted. Texts are in lower case. */
  search: string
  number: number | null
  title: string | null
  /** The number of known offers, read or not. */
  offers: number
  /** The first awarded, accepted or recommended offer, and what all of them cost. */
  recommended: string | null
  price: number | null
  total: number | null
  wanted: number | null
  coverage: number | null
  bestPricePerTonne: number | null
}

export type Attention = 0 | 1 | 2

/** `event`: the event data, if it has a reason. */
export type NewRecommendation = Omit<RecordedRecommendation, 'channel' | 'rfqId' | 'settings'> & {
  event: EventData | null
}

/** What is recorded of an RFQ. */
export interface ComputedRfq {
  dirty: DirtyRfq
  /** The recommendation, if it differs from the newest one. */
  recommendation: NewRecommendation | null
  row: RfqRow
}

export interface RecorderLease {
  /** The process of the recorder. */
  holder: Holder
  /** The settings of its comparisons. */
  settings: Settings
  /** The version of the comparison: another one may compute other figures from the same documents and settings. */
  version: string
  now: Date
  leaseMs: number
}

/** Whether the lease was taken; if not, the command of its holder, and whether its settings differ. */
export type LeaseReply = { held: true } | { held: false; command: string | null; hasOtherSettings: boolean }

/** The recommendations for RFQs, and their history. */
export interface Recommendations extends RecommendationQueries {
  /**
   * Takes or renews the lease of the process that records recommendations. If the recorded settings or version are others, its own
   * replace them, and all RFQs become dirty.
   */
  takeRecommendationLease(lease: RecorderLease): Promise<LeaseReply>
  releaseRecommendationLease(holder: Holder): Promise<void>
  /** Marks RFQs whose rows were computed before a moment, because something other than documents changed. Default: of all channels. */
  markComputedBefore(moment: Timestamp, channel?: string): Promise<void>
  /**
   * Records recommendations in one transaction. Skips RFQs that were marked again in the meantime, which stay dirty.
   * @param settings with which they were computed
   * @returns how many were recorded; 0 if the holder has lost its lease
   */
  recordRecommendations(
    holder: Holder,
    computed: readonly ComputedRfq[],
    settings: Settings,
    now: Date,
  ): Promise<number>
}

export interface RecommendationQueries {
  /** The dirty RFQs, in the order of channels and ids. */
  dirtyRfqs(filter: { limit: number }): Promise<DirtyRfq[]>
  /** The newest recommendations for RFQs of a channel. */
  newestRecommendations(channel: string, rfqIds: readonly string[]): Promise<RecordedRecommendation[]>
  /** The settings with which recommendations are recorded; null if none were. */
  recordedSettings(): Promise<Settings | null>
  /** The credits that are spoken for in the RFQs of all channels, as of their rows. */
  creditClaims(): Promise<CreditClaim[]>
}
