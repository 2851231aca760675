import { z } from 'zod'
import { EVENT_KINDS, type EventData, type EventKind } from '../../core/events/events.js'
import { channelKey, nullableText, text, timestamp, unvalidatedObject } from '../schema.js'

const KINDS = Object.keys(EVENT_KINDS) as [EventKind, ...EventKind[]]

const event = z
  .strictObject({
    sequence: z.int().describe('In the order in which events were committed, without gaps; the same in webhooks.'),
    id: text,
    kind: z.enum(KINDS),
    at: timestamp.describe('When it was observed.'),
    channel: channelKey.nullable(),
    rfqId: nullableText,
    offerId: nullableText,
    version: z.int().nullable().describe('Of the offer, or otherwise of the RFQ: the version that it speaks of.'),
    text: text.describe('What happened, in a sentence.'),
    data: unvalidatedObject<EventData>(),
  })
  .meta({ id: 'Event' })

export const eventFeed = z
  .strictObject({
    items: z.array(event).describe('By `sequence`, ascending.'),
    next: z.int().describe('For `after`: what was committed since, also if this page has no items.'),
    beginsAt: z.int().describe('From this sequence on, nothing was pruned: events before it may be missing.'),
  })
  .meta({ id: 'EventFeed' })
