import type { RequirementLevel, RequirementName } from '../../core/decision/settings.js'
import type { Timestamp } from '../../core/time/clock.js'
import type { Source } from '../input/comparison-context.js'
import type { Shortage } from './availability.js'
import type { ComparedAmounts, Exclusion } from './eligibility.js'
import type { ListingQuality } from './listing-quality.js'
import type { Metrics } from './metrics.js'
import type { DeliveryLine, OfferTerms, PrepaymentLine } from './offer-terms.js'
import type { SummaryDifference } from './summary-difference.js'

export interface OfferReport {
  source: Source
  id: string
  /** The number of the offer, which never changes (`byNumber`). The lower sequence wins every tie. */
  sequence: number
  /** Short and unique within the report: the developer, with the project or a number if several offers share it. */
  label: string
  /** `summary`: only the summary within the RFQ is known; it has no lines, pre-payments or review. */
  shape: 'full' | 'summary'
  listingId: string | null
  developer: string | null
  project: string | null
  /** As in the offer; that of its summary in the RFQ if the offer is `submitted` and the summary says otherwise. */
  status: string | null
  submittedAt: Timestamp | null
  /** Submitted after the RFQ's `responseDueDate` had ended in the time zone; null if either is unknown. */
  late: boolean | null
  /** Since when the RFQ does not list it; null if it does. */
  missingSince: Timestamp | null
  /** What its summary in the RFQ says otherwise; null if nothing. `terms` are those of the offer. */
  summaryDifference: SummaryDifference | null
  terms: OfferTerms
  lines: DeliveryLine[]
  prepayments: PrepaymentLine[]
  listing: ListingQuality
  /** What it offers beyond what the listing has, alone or with the claims of other offers. */
  shortages: Shortage[]
  metrics: Metrics
  compared: ComparedAmounts
  /** False if the document is unusable or contains no offer. */
  hasOffer: boolean
  /** Members whose stated value cannot be parsed: `expiryDate`. */
  unreadable: string[]
  /** Reasons why no award can include it, even if all requirements were waived; empty if there are none. */
  exclusions: Exclusion[]
  /** The requirements of the buyer that it does not meet, at a level other than `off`; hard ones first. */
  unmet: UnmetRequirement[]
  /**
   * - `accepted`: the marketplace shows it as accepted.
   * - `ranked`: comparable, open and compliant, so it competes.
   * - `not-compliant`: comparable and open, but `unmet` has a hard requirement.
   * - `excluded`: `exclusions` says why.
   */
  standing: 'accepted' | 'ranked' | 'not-compliant' | 'excluded'
  /** Why it has no rank, as a sentence; null if it has one. */
  why: string | null
  /** 1, 2, … without gaps among those that compete: by cost per tonne; otherwise null. */
  rank: number | null
  /** Loud ones first. */
  flags: Flag[]
}

/** A requirement that an offer does not meet, or that cannot be evaluated, which counts as not met. */
export interface UnmetRequirement {
  name: Exclude<RequirementName, 'volumeMax'>
  /** From REQUIREMENT_TITLES. */
  title: string
  /** As set when the report was made; never `off`. */
  level: Exclude<RequirementLevel, 'off'>
  /** False: not met. Null: not determinable. */
  met: false | null
  /** The reason, with the numbers; one sentence. */
  message: string
}

/** A doubt about an offer. */
export interface Flag {
  code: FlagCode
  /** Shown in red, and on Today; other flags are quiet. */
  loud: boolean
  /** One sentence with the compared values. */
  message: string
}

export const OFFER_FLAGS = [
  'price-far-below-min',
  'changed-since-review',
  'beyond-availability',
  'total-mismatch',
  'volume-mismatch',
  'summary-differs',
  'prepayment-in-full',
  'begins-early',
  'expiring',
] as const
export type FlagCode = (typeof OFFER_FLAGS)[number]
