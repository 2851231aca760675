/**
 * Events: what was observed or decided, as notifications tell it (docs/NOTIFICATIONS.md). The store writes them in the
 * transaction that observed them.
 */

import type { RecommendationFigures } from '../decision/recommendation.js'
import type { ResponseSummary, Rfq } from '../documents/observation.js'
import type { Timestamp } from '../time/clock.js'

/** Every kind, with what it means. */
export const EVENT_KINDS = {
  'channel.first-poll': 'the RFQs of a channel were polled for the first time; the only event of that poll',
  'offer.new': 'an offer was first observed',
  'offer.late':
    'an offer was first observed that was submitted, or appeared, after the response due date; instead of offer.new',
  'offer.changed': 'an offer changed, or is listed again',
  'offer.withdrawn': 'an offer is no longer listed on its RFQ',
  'rfq.new': 'an RFQ was first observed',
  'rfq.changed': 'an RFQ changed, or is no longer listed, or is listed again',
  'rfq.due-soon': 'the response due date of an open RFQ is near',
  'rfq.overdue': 'an RFQ is still open although its response due date has passed',
  'rfq.closed': 'an RFQ was closed, by Quotekeeper or elsewhere',
  'close.refused': 'the marketplace refused to close an RFQ, or the close had no effect',
  'close.unknown': 'it is uncertain whether an RFQ was closed',
  'close.blocked': 'closing RFQs that are past due is blocked: approve the round, or remove what blocks it',
  'close.stopped': 'a person stopped all closing',
  'close.resumed': 'a person ended the stop of all closing',
  'channel.behind': 'a channel had no complete poll for three intervals of its schedule',
  'channel.key-refused': 'the marketplace does not accept the API key of a channel',
  'recommendation.changed': 'another award is recommended for an RFQ, none any more, or the same for another total',
  'award.recorded': 'the desk recorded an award of an RFQ, or that it awards none',
  'award.withdrawn': 'the desk withdrew an award',
  'report.made': 'the service wrote a report',
  'notify.test': 'a test that a person asked for with quotekeeper notify --test; never recorded',
  'problems.found': "documents deviate from the marketplace's API description in a way not seen before",
} as const satisfies Record<string, string>

export type EventKind = keyof typeof EVENT_KINDS

/** The RFQ that an event is about. Text is as the marketplace sent it. */
export type EventRfq = Pick<Rfq, 'id' | 'number' | 'reference' | 'title' | 'state' | 'responseDueDate'>

/** The offer that an event is about. Text is as the marketplace sent it. */
export type EventOffer = Omit<ResponseSummary, 'listingId' | 'expiryDate'>

/** A field that changed. */
export interface FieldChange {
  field: string
  before: string | number | boolean | null
  after: string | number | boolean | null
}

/** The details of an event. Members are only added (docs/NOTIFICATIONS.md). */
export interface EventData {
  rfq?: EventRfq
  offer?: EventOffer
  /** The first few fields that changed. */
  changes?: FieldChange[]
  /** What changed, in sentences, the most important first. */
  messages?: string[]
  /** Why, or what happened, in words. */
  reason?: string
  /** What to do about it. */
  remedy?: string
  /** Of a changed recommendation: what was recommended before, and what is now. */
  recommendation?: { before: RecommendationFigures; after: RecommendationFigures }
  /** What an RFQ was to be awarded by before, and from then on; absent if that did not move. */
  moved?: { before: AwardTerms | null; after: AwardTerms | null }
  /** An award on record. */
  award?: { id: number; by: string; because: string | null; followed: boolean }
  /** Of a first poll: what it found. */
  found?: { rfqs: number; offers: number; problems: number }
  problem?: { kind: string; id: string; path: string; code: string; message: string }
  /** A closing round that waits for approval. */
  plan?: string
  decision?: number
  /** Of a close: the newest hash of the chain of decisions then, for `closings --verify --head`. */
  head?: string
  /** `name`: in `reports.directory`. `by`: the user who asked for it, or what else caused it, such as `schedule`. */
  report?: { name: string; by?: string }
  poll?: { kind: string; lastCompleteAt: Timestamp | null }
  /** A person's order to close nothing, and who ended it. */
  stop?: StopOrder & { endedBy?: string }
}

/** What an award amounts to. */
export interface AwardTerms {
  /** The names of the offers. */
  offers: string[]
  tonnes: number
  /** Payable. */
  total: number
  pricePerTonne: number
  currency: string
}

/** An order of a person to stop all closing. */
export interface StopOrder {
  by: string
  /** With the earlier orders that it ends too. */
  reason: string
  since: Timestamp
}

/** Which events to read of all, in the order in which they were committed. */
export interface EventFilter {
  /** The sequence after which to begin; 0: at the first. */
  after: number
  kinds?: readonly EventKind[]
  limit: number
}

export interface EventPage {
  items: EventRecord[]
  /** For `after` of the next page, also if there is nothing more yet. */
  next: number
  /** From this sequence on, no event was pruned. */
  beginsAt: number
}

/** An event as it is stored. It never changes. */
export interface EventRecord {
  /** Numbers the events of a database in the order in which they were committed, from 1, without gaps. */
  sequence: number
  /** Unique. The same wherever and however often the event is delivered. */
  id: string
  kind: EventKind
  at: Timestamp
  channel: string | null
  rfqId: string | null
  offerId: string | null
  /** Of the offer, or otherwise of the RFQ: the version that the event speaks of. */
  version: number | null
  /** What happened, in a sentence of one line. Text of the marketplace is not escaped. */
  text: string
  data: EventData
}

/** A target of notifications, and how far it has got in the feed. */
export interface TargetState {
  target: string
  /** The sequence up to which it got everything that it takes, or was passed over. */
  position: number
  /** How many later events it takes. */
  waiting: number
  /** Consecutive failed attempts. */
  failures: number
  retryAt: Timestamp | null
  succeededAt: Timestamp | null
  /** Of the last attempt, unless that succeeded. */
  error: string | null
  passedOver: PassedOver | null
}

/** The newest events that a target never got: those that it refused, or those of an outage of more than a day. */
export interface PassedOver {
  /** Sequences. */
  from: number
  to: number
  /** How many it takes of these. */
  events: number
  at: Timestamp
  error: string
}
