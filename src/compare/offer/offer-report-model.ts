import type { Timestamp } from '../../core/clock.js'
import type { Source } from '../comparison-context.js'
import type { Flag } from '../flag.js'
import type { ComparedAmounts, Eligibility } from './eligibility.js'
import type { ListingQuality } from './listing-quality.js'
import type { Metrics } from './metrics.js'
import type { NewerSummary } from './newer-summary.js'
import type { DeliveryLine, OfferTerms, PrepaymentLine } from './offer-terms.js'
import type { Requirement } from './requirements.js'
import type { Scores } from './scores.js'

export interface OfferReport {
  source: Source
  id: string
  /** 1, 2, … by `submittedAt` (unknown last), then id. Every tie between offers goes to the lower sequence. */
  sequence: number
  /** Short and unique within the report: the developer, if necessary with the project or a number. */
  label: string
  /** `summary`: only the summary within the RFQ is known; it has no lines, pre-payments or review. */
  shape: 'full' | 'summary'
  listingId: string | null
  developer: string | null
  project: string | null
  /** The status in the RFQ, if that was read after the offer itself. */
  status: string | null
  submittedAt: Timestamp | null
  /** Submitted after the RFQ's `responseDueDate` had ended in the time zone; null if either is unknown. */
  late: boolean | null
  /** False while it is missing from the RFQ. */
  inView: boolean
  missingSince: Timestamp | null
  /** What the RFQ says otherwise, if it was read after the offer itself: `terms` are as the offer has them. */
  newerSummary: NewerSummary | null
  terms: OfferTerms
  lines: DeliveryLine[]
  prepayments: PrepaymentLine[]
  listing: ListingQuality
  metrics: Metrics
  compared: ComparedAmounts
  eligibility: Eligibility
  /** One for each requirement that the RFQ states, in the order of REQUIREMENTS. */
  requirements: Requirement[]
  /** All of `requirements` are met, and no review rejected it; what cannot be evaluated counts as not met. */
  meetsRequirements: boolean
  /** Null if the offer is not ranked. */
  scores: Scores | null
  /** By total score, highest first: 1, 2, … without gaps; null if the offer is not ranked. */
  rank: number | null
  /** By `compared.price`, lowest first; otherwise like `rank`. */
  priceRank: number | null
  /** Most severe first. */
  flags: Flag[]
}
