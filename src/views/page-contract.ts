import type { AwardRecord } from '../core/decision/award-record.js'
import type { Settings } from '../core/decision/settings.js'
import type { DeliveryFilter, DeliveryRecord, TargetState } from '../core/events/deliveries.js'
import type {
  DecisionListing,
  DecisionRecord,
  ListedDecision,
  ProblemRecord,
  RunKind,
  RunOutcome,
  RunRecord,
} from '../core/records.js'
import type { ClockSkewBlock } from '../core/time/clock-skew.js'
import type { AwardOrder, PreparedAward } from './awards/award-order.js'
import type { ChangeFeed } from './changes/change-feed.js'
import type { ChannelRules } from './channels/channel-rules.js'
import type { ChannelPageModel } from './channels/channel-view.js'
import type { ClosingOutlook } from './closings/closing-outlook.js'
import type { Observed } from './complete-polls.js'
import type { OfferPageModel } from './offer/offer-detail.js'
import type { Moment, PriceHistory } from './rfq/moments.js'
import type { RfqView } from './rfq/rfq-view.js'
import type { RfqSearch, RfqSearchResult } from './rfqs/rfq-search.js'
import type { ListingItem } from './schemas/index.js'
import type { Today } from './today/today-view.js'

/** When the polls of a channel last succeeded. */
export interface ChannelFreshness {
  channel: string
  /** When the newest complete poll of RFQs, and of listings, finished; null if none did. */
  rfqsAt: string | null
  listingsAt: string | null
}

/** An RFQ as an address names it, at a moment. */
export interface RfqAddress {
  channel: string
  /** Its number, reference or id; or `id:…`, which leads to no other. */
  name: string
  now: Date
  /** Default: now. */
  asOf?: Date
}

/** What the page of an RFQ shows. */
export interface RfqPage {
  view: RfqView
  id: string
  name: string
  prices: PriceHistory[]
  /** What becomes of it if it is past due and open; null otherwise, and in the past. */
  outlook: ClosingOutlook | null
  /** When it and its offers changed, newest first, whatever the moment of the page. */
  moments: Moment[]
}

/** What the closing page of an RFQ shows. */
export interface ClosingPage extends Omit<ChannelRules, 'key'> {
  channel: string
  id: string
  name: string
  title: string | null
  state: string | null
  dueDate: string | null
  /** What the clocks showed, if they stopped the newest closing round and it is past due. */
  clockSkewBlock: ClockSkewBlock | null
  /** Newest first, each with everything that it is based on, in words. */
  closings: { record: DecisionRecord; explanation: string }[]
}

/** What a closing round that began now would find about an RFQ. */
export interface ClosingReasons {
  /** Reasons for closing it, and against; it qualifies without any against. */
  for: string[]
  against: string[]
  /** What a person can do about a reason against. */
  remedies: string[]
  /** A close that was planned or sent and is not settled yet, and what settles it; null if there is none. */
  unsettled: string | null
}

/** Why there is no page: no such RFQ, it was first seen later, or several have the name. */
export interface NotFound {
  notFound: string
  isAmbiguous?: boolean
}

/**
 * What pages show, as plain data: arguments and results can be sent to another thread. Pages read through a connection of
 * their own, so that they never wait for polls, nor polls for them.
 */
export interface PageQueries {
  freshness(): Promise<ChannelFreshness[]>
  /** The channels of which no poll was complete by a moment. */
  incompleteAt(observed: Observed, asOf: Date): Promise<string[]>
  /** Changes when a poll, a closing round or a closing was recorded. */
  pulse(): Promise<string>
  /** When the first poll began; null if there was none, or the channel is unknown. */
  firstPollAt(filter: { channel?: string; kind?: 'rfqs' | 'listings' }): Promise<string | null>
  today(options: { now: Date; since: Date }): Promise<Today>
  rfqs(search: RfqSearch): Promise<RfqSearchResult>
  /** @param address.settings instead of those of the configuration, for a what-if */
  rfq(address: RfqAddress & { settings?: Settings }): Promise<RfqPage | NotFound>
  /** Id and name of an RFQ. */
  rfqName(address: RfqAddress): Promise<{ id: string; name: string } | NotFound>
  /** Listings without their documents. */
  listings(filter: { channel?: string; asOf?: Date }): Promise<ListingItem[]>
  offer(address: RfqAddress & { offerId: string }): Promise<{ model: OfferPageModel; name: string } | NotFound>
  changes(filter: {
    channel?: string
    rfqId?: string
    after?: Date
    before?: string
    limit: number
  }): Promise<ChangeFeed>
  channel(filter: { channel: string; now: Date }): Promise<ChannelPageModel | NotFound>
  closing(address: RfqAddress): Promise<ClosingPage | NotFound>
  /** Reads every RFQ of the channel if it qualifies, because a round that is too large is blocked. */
  closingReasons(rfq: { channel: string; rfqId: string; now: Date }): Promise<ClosingReasons>
  runs(filter: { channel?: string; kind?: RunKind; outcome?: RunOutcome; limit: number }): Promise<RunRecord[]>
  closings(listing: DecisionListing): Promise<{ rows: ListedDecision[]; total: number }>
  problems(filter: { channel?: string; limit: number }): Promise<ProblemRecord[]>
  /** The awards of an RFQ, newest first. */
  awards(rfq: { channel: string; rfqId: string }): Promise<AwardRecord[]>
  /** The workbook of an award; null if there is no such award. */
  awardFile(id: number): Promise<Uint8Array | null>
  /** Compares the offers of an RFQ, and checks an award of some of them. */
  prepareAward(order: AwardOrder): Promise<PreparedAward>
  /** Targets of notifications that the service was started with. */
  targetStates(): Promise<TargetState[]>
  deliveries(filter: DeliveryFilter): Promise<DeliveryRecord[]>
}
