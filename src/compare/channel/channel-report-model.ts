/** The overview of a channel: what the overview workbook and `report --json` without an RFQ show. Conventions: rfq-report-model.ts. */

import type { Settings } from '../../core/decision/settings.js'
import type { Timestamp } from '../../core/time/clock.js'
import type { AcceptedSummary, AwardSummary } from '../awards/award-summary.js'
import type { ReportContext } from '../input/comparison-context.js'
import type { CalendarDate, ReportedDecision } from '../input/comparison-input.js'
import type { ListingQuality } from '../offer/listing-quality.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import type { FlagCounts, Summary } from '../report/rfq-statistics.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'

/** The version increases when a member changes its meaning or is removed, not when one is added. */
export const CHANNEL_REPORT_SCHEMA = 'quotekeeper.channel-report/2'

export interface ChannelReport {
  schema: typeof CHANNEL_REPORT_SCHEMA
  context: ReportContext
  settings: Settings
  summary: ChannelSummary
  /** Open ones first, by days to due (unknown last); then the others by number, newest first. */
  rfqs: RfqRow[]
  /** In the order of `rfqs`, then by rank, then sequence. */
  offers: OfferRow[]
  /** Newest first. */
  closings: ReportedDecision[]
  /** By project name. */
  listings: ListingRow[]
}

export interface ChannelSummary {
  rfqs: number
  /** By state as received (`unknown` if absent), sorted. */
  byState: { state: string; rfqs: number }[]
  open: number
  /** Open and due within 7 days, today included. */
  dueSoon: number
  /** Open although the due date has passed. */
  overdue: number
  /** Those with `unreadOffers` are not among them. */
  openWithoutOffers: number
  missing: number
  invalid: number
  offers: number
  /** Sorted. */
  byStatus: { status: string; offers: number }[]
  lateOffers: number
  listings: number
  missingListings: number
  /** Newest decision on each RFQ, by verdict and outcome; sorted. */
  closings: { decision: string; outcome: string | null; count: number }[]
  flags: FlagCounts
  problems: number
  /** Total volume requested by the open RFQs, total volume of their ranked offers, and how much of the first they cover, RFQ by RFQ. */
  openWanted: number
  openOffered: number
  openCovered: number
}

/** The terms of an RFQ that a row has. */
type RowTerms = Pick<
  RfqTerms,
  | ('id' | 'number' | 'reference' | 'title' | 'state' | 'responseDueDate' | 'daysToDue' | 'fulfilmentDueDate')
  | ('minVolume' | 'maxVolume' | 'unreadOffers' | 'closedAt' | 'missingSince')
>

export interface RfqRow extends RowTerms, Omit<Summary, 'missing' | 'price'> {
  /** The accepted offers; null if there are none. */
  accepted: AcceptedSummary | null
  /** What is recommended while the RFQ is open; otherwise null. */
  award: AwardSummary | null
  /** What was accepted, or what is recommended, in one sentence. */
  awardText: string
  /** The requested tonnes: the lower end of what an award may have. */
  wanted: number | null
  /** The currency in which its offers are compared. */
  currency: string | null
  /** Lowest compared.pricePerTonne of the ranked offers. */
  bestPricePerTonne: number | null
  medianPricePerTonne: number | null
  maxUnitPrice: number | null
  valid: boolean
  version: number
  observedAt: Timestamp
}

/** The members of an offer that a row has. */
type RowOffer = Pick<
  OfferReport,
  | ('id' | 'label' | 'developer' | 'project' | 'status' | 'submittedAt' | 'late' | 'compared' | 'rank' | 'why')
  | 'inView'
>

export interface OfferRow extends RowOffer {
  rfqId: string
  rfqNumber: number | null
  contractType: string | null
  currency: string | null
  volume: number | null
  total: number | null
  pricePerTonne: number | null
  comparisonCurrency: string | null
  expiryDate: CalendarDate | null
  daysToExpiry: number | null
  flags: FlagCounts
  flagMessages: string[]
  version: number
  observedAt: Timestamp
}

export interface ListingRow extends ListingQuality {
  id: string
  /** Number of RFQs that request the listing, and of offers for it. */
  rfqs: number
  offers: number
  /** Σ volume of the offers that are neither missing nor rejected. */
  offeredVolume: number
  version: number
  observedAt: Timestamp
  valid: boolean
}
