import { z } from 'zod'
import {
  DELIVERY_STATES,
  type DeliveryFilter,
  type DeliveryRecord,
  type TargetState,
} from '../../core/events/deliveries.js'
import { EVENT_KINDS, type EventFilter, type EventKind } from '../../core/events/events.js'
import { channelKey, count, nullableText, text, timestamp } from '../schema.js'
import type { ViewSource } from '../source.js'

const KINDS = Object.keys(EVENT_KINDS) as [EventKind, ...EventKind[]]

export const event = z
  .strictObject({
    sequence: z.int().describe('In the order in which events were committed, without gaps; the same in webhooks.'),
    id: text,
    kind: z.enum(KINDS),
    at: timestamp.describe('When it was observed.'),
    channel: channelKey.nullable(),
    rfqId: nullableText,
    offerId: nullableText,
    version: z.int().nullable().describe('Of the offer, or otherwise of the RFQ: the version that it speaks of.'),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' })

export const eventFeed = z
  .strictObject({
    items: z.array(event).describe('By `sequence`, ascending.'),
    next: z.int().describe('For `after`: what was committed since, also if this page has no items.'),
    beginsAt: z.int().describe('From this sequence on, nothing was pruned: events before it may be missing.'),
  })
  .meta({ id: 'EventFeed' })
export type EventFeed = z.infer<typeof eventFeed>

export const delivery = z
  .strictObject({
    id: z.int(),
    eventId: text,
    sequence: z.int().describe('Sequence number of the event.'),
    kind: z.enum(KINDS).describe('The kind of the event.'),
    channel: channelKey.nullable(),
    target: text,
    state: z.enum(DELIVERY_STATES).describe('`dead`: given up; `POST /notifications/retry` sends it again.'),
    attempts: count,
    createdAt: timestamp,
    attemptedAt: timestamp.nullable(),
    nextAt: timestamp.nullable().describe('Earliest time of the next attempt; null: as soon as possible.'),
    settledAt: timestamp.nullable().describe('When it was delivered or became a dead letter.'),
    status: z.int().nullable().describe('HTTP or SMTP status of the last attempt.'),
    error: nullableText.describe('Error of the last attempt.'),
  })
  .meta({ id: 'Delivery' }) satisfies z.ZodType<DeliveryRecord>

export const notificationTarget = z
  .strictObject({
    target: text,
    since: timestamp.describe('When the service first started with this target configured.'),
    failures: count.describe('Consecutive failed attempts that the target caused.'),
    retryAt: timestamp.nullable(),
    succeededAt: timestamp.nullable(),
    error: nullableText,
    pending: count,
    dead: count,
  })
  .meta({ id: 'NotificationTarget' }) satisfies z.ZodType<TargetState>

/** Events, and notifications of them. */
export const eventViews = ({ store }: Pick<ViewSource, 'store'>) => ({
  async events(filter: EventFilter): Promise<EventFeed> {
    const { items, ...feed } = await store.events(filter)
    return { ...feed, items: items.map(({ runId: _, ...item }) => ({ ...item, data: { ...item.data } })) }
  },
  deliveries: (filter: DeliveryFilter) => store.deliveries(filter),
  /** Targets of notifications that the service was started with. */
  targetStates: () => store.targetStates(),
})
