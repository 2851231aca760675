import type { AwardRecord } from '../core/decision/award-record.js'
import type { Settings } from '../core/decision/settings.js'
import type { DeliveryFilter, DeliveryRecord, TargetState } from '../core/events/deliveries.js'
import type { EventFilter, EventPage } from '../core/events/events.js'
import type { DecisionRecord, ProblemRecord, RunRecord } from '../core/records.js'
import type { withListMessage } from '../core/sources/source-text.js'
import type { RfqFigures } from '../recommendations/rfq-figures.js'
import type { ChangeFeed } from './changes/change-feed.js'
import type { ListCursor, ListPage } from './cursor.js'
import type { RfqNameProblem } from './find-rfq.js'
import type { RfqView } from './rfq/rfq-view.js'
import type { RfqListRow } from './rfqs/rfq-list.js'
import type { ApiChannel, ListingDetail, ListingItem, OfferDetail, OfferItem, RfqDetail } from './schemas/index.js'
import type { Today } from './today/today-view.js'

/** The state to read: the current one, or as of a moment. */
export interface ApiMoment {
  now: Date
  asOf?: Date
}

/** A request for one page of a list. */
export interface ListPageRequest {
  cursor: ListCursor | null
  limit: number
}

export const RFQ_SORTS = ['urgency', 'number', '-number', 'due', '-due', 'changed', '-changed'] as const

export interface RfqFilter {
  channel?: string
  state?: string
  /** Part of the number, the reference or the title. */
  search?: string
  dueBefore?: string
  dueAfter?: string
  overdue?: boolean
  missing?: boolean
  changedSince?: Date
  sort: (typeof RFQ_SORTS)[number]
  /** Compute the figures of the offers too. */
  figures: boolean
  /** Say what the newest list says of the RFQs, although the rows are as of a moment before: that of the first page. */
  listedNow: boolean
}

/** An RFQ in a list. */
export type RfqListItem = Omit<RfqListRow, 'readAt' | 'listed' | 'names'> & {
  listed: ReturnType<typeof withListMessage>
  figures?: RfqFigures
}

/** An RFQ as named in a path (views/find-rfq.ts). */
export interface NamedRfq extends ApiMoment {
  channel: string
  name: string
}

export interface RfqRef {
  channel: string
  id: string
}

/** What a name led to, or why it led to no RFQ. */
export type Lookup<T> = { found: T } | { problem: RfqNameProblem }

/** What the API answers from the database. */
export interface ApiQueries {
  channels(now: Date): Promise<ApiChannel[]>
  /** The channels of which no poll that counts as complete had finished by a moment. */
  incompleteAt(filter: { channel?: string; kind: 'rfqs' | 'listings' }, asOf: Date): Promise<string[]>
  /** When the first poll began; null if there was none, or the channel is unknown. */
  firstPollAt(filter: { channel?: string; kind: 'rfqs' | 'listings' }): Promise<string | null>
  /** Every state that an RFQ has. */
  states(now: Date): Promise<string[]>
  rfqs(filter: RfqFilter & ApiMoment & ListPageRequest): Promise<ListPage<RfqListItem>>
  rfq(name: NamedRfq): Promise<Lookup<RfqDetail>>
  offers(name: NamedRfq): Promise<Lookup<OfferItem[]>>
  /** Which RFQ has a name. @param search.channel default: all that are configured */
  findRfq(search: Omit<NamedRfq, 'channel'> & { channel?: string }): Promise<Lookup<RfqRef>>
  /** Null if the RFQ has no such offer. */
  offer(name: NamedRfq & { offer: string }): Promise<Lookup<OfferDetail | null>>
  /** @param name.settings those that were asked for; default: those in force at the moment */
  comparison(name: NamedRfq & { settings?: Settings }): Promise<Lookup<RfqView>>
  listings(filter: { channel?: string } & ApiMoment & ListPageRequest): Promise<ListPage<ListingItem>>
  listing(filter: { channel: string; id: string } & ApiMoment): Promise<ListingDetail | null>
  /** Rejects with InvalidCursorError. */
  changes(filter: {
    channel?: string
    rfqId?: string
    after?: Date
    asOf?: Date
    before?: string
    limit: number
  }): Promise<ChangeFeed>
  closings(filter: {
    channel?: string
    rfqId?: string
    asOf?: Date
    outcome?: NonNullable<DecisionRecord['outcome']>
    before?: number
    limit: number
  }): Promise<DecisionRecord[]>
  runs(filter: {
    channel?: string
    kind?: RunRecord['kind']
    outcome?: NonNullable<RunRecord['outcome']>
    before?: number
    limit: number
  }): Promise<RunRecord[]>
  problems(filter: { channel?: string } & ListPageRequest): Promise<ListPage<ProblemRecord>>
  events(filter: EventFilter): Promise<EventPage>
  targetStates(): Promise<TargetState[]>
  deliveries(filter: DeliveryFilter): Promise<DeliveryRecord[]>
  awards(name: NamedRfq): Promise<Lookup<AwardRecord[]>>
  today(options: ApiMoment & { since: Date; dueWithinDays: number; channel?: string }): Promise<Today>
}
