/** The overview of a channel: what the overview workbook and `report --json` without an RFQ show. Conventions: rfq-report-model.ts. */

import type { Settings } from '../../core/decision/settings.js'
import type { Timestamp } from '../../core/time/clock.js'
import type { AcceptedSummary, AwardSummary } from '../awards/award-summary.js'
import type { ReportContext } from '../input/comparison-context.js'
import type { CalendarDate, ReportedDecision } from '../input/comparison-input.js'
import type { ComparedAmounts } from '../offer/eligibility.js'
import type { ListingQuality } from '../offer/listing-quality.js'
import type { FlagCounts } from '../report/rfq-statistics.js'

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
  about: { definitions: { term: string; message: string }[]; limits: string[]; runs: number[] }
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

export interface RfqRow {
  id: string
  number: number | null
  reference: string | null
  title: string | null
  state: string | null
  /** The accepted offers; null if there are none. */
  accepted: AcceptedSummary | null
  /** What is recommended while the RFQ is open; otherwise null. */
  award: AwardSummary | null
  /** What was accepted, or what is recommended, in one sentence. */
  awardText: string
  responseDueDate: CalendarDate | null
  daysToDue: number | null
  fulfilmentDueDate: CalendarDate | null
  minVolume: number | null
  maxVolume: number | null
  /** The requested tonnes: the lower end of what an award may have. */
  wanted: number | null
  offers: number
  /** Offers that the list shows of an RFQ that was never read itself; `offers` is 0 then. */
  unreadOffers: number
  ranked: number
  late: number
  volume: number
  coverage: number | null
  /** The currency in which its offers are compared. */
  currency: string | null
  /** Lowest compared.pricePerTonne of the ranked offers. */
  bestPricePerTonne: number | null
  medianPricePerTonne: number | null
  maxUnitPrice: number | null
  /** Of its offers. */
  flags: FlagCounts
  closedAt: Timestamp | null
  missingSince: Timestamp | null
  valid: boolean
  version: number
  observedAt: Timestamp
}

export interface OfferRow {
  rfqId: string
  rfqNumber: number | null
  id: string
  label: string
  developer: string | null
  project: string | null
  listingId: string | null
  status: string | null
  submittedAt: Timestamp | null
  late: boolean | null
  contractType: string | null
  currency: string | null
  volume: number | null
  total: number | null
  pricePerTonne: number | null
  compared: ComparedAmounts
  comparisonCurrency: string | null
  expiryDate: CalendarDate | null
  daysToExpiry: number | null
  rank: number | null
  /** Why it is not ranked; null if it is. */
  why: string | null
  flags: FlagCounts
  flagMessages: string[]
  inView: boolean
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
