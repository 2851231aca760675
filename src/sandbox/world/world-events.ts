import type { Faker } from '@faker-js/faker'
import { calendarDate, DAY, daysAfter, endOf, HOUR, timestamp } from './calendar-dates.js'
import type { ChannelRecord } from './channel-record.js'
import type { Review, RfqResponse } from './document-types.js'
import type { PlannedEvent } from './event-schedule.js'
import { repriceListing } from './listing-generator.js'
import { decideReview, reviseOffer } from './response-generator.js'
import { amendRfq, comparableListings, makeRfq } from './rfq-generator.js'
import { RfqRecord } from './rfq-record.js'
import type { World } from './world.js'

/** Something that happened in the world. */
export interface WorldEvent {
  at: Date
  /** `org/slug`. */
  channel: string
  rfqId: string | null
  text: string
}

/** Maximum number of RFQs per channel: at the limit, old closed RFQs are archived, or no RFQ is opened. */
const MAX_RFQS = 60
/** Days after the due date at which the channel closes an RFQ that is still open. */
const AUTO_CLOSE_DAYS = 21

/**
 * Applies all events that are due by a moment. One large step gives the same world as many small ones.
 * @param to the new time of the world; an earlier time than its current one changes nothing
 * @returns the events that happened, in order
 */
export function advanceWorld(world: World, to: Date): WorldEvent[] {
  const happened: WorldEvent[] = []
  for (let event = world.schedule.takeDue(to.getTime()); event; event = world.schedule.takeDue(to.getTime())) {
    const text = applyEvent(world, event)
    if (text) happened.push({ at: new Date(event.at), channel: event.channel, rfqId: event.rfqId || null, text })
  }
  if (to > world.simulatedUntil) world.setSimulatedUntil(to)
  return happened
}

/** Plans the events of a channel: it opens RFQs, and developers change their prices. */
export function planChannelEvents(world: World, channel: ChannelRecord, now: number): PlannedEvent[] {
  const key = `${channel.org}/${channel.channel}`
  const kinds = ['open-rfq', 'reprice'] as const
  return kinds.map((kind) => {
    const f = world.random.faker(`${key}/${kind}/0`)
    return { at: now + delay(f, 3, 30), kind, channel: key, rfqId: '', n: 0 }
  })
}

/** Plans the events of an open RFQ: offers, revisions and reviews, perhaps an amendment, and the buyer's decision. */
export function planRfqEvents(world: World, channel: ChannelRecord, record: RfqRecord, now: number): PlannedEvent[] {
  const { id: rfqId, responseDueDate } = record.terms
  const common = { channel: `${channel.org}/${channel.channel}`, rfqId, n: 0 }
  const f = world.random.faker(`${rfqId}/plans`)
  const events: PlannedEvent[] = [
    { ...common, kind: 'turn', at: now + delay(f, 0.5, 12) },
    { ...common, kind: 'decide', at: Math.max(now, endOf(responseDueDate)) + delay(f, 20, 70) },
  ]
  if (f.datatype.boolean(0.3)) events.push({ ...common, kind: 'amend', at: now + delay(f, 10, 100) })
  return events
}

/** Changes the world. Returns a description of what happened, or null if nothing did. */
function applyEvent(world: World, event: PlannedEvent): string | null {
  const [org = '', slug = ''] = splitKey(event.channel)
  const channel = world.channel({ org, channel: slug })
  if (!channel) return null
  const f = world.random.faker(`${event.channel}/${event.rfqId}/${event.kind}/${event.n}`)
  if (event.kind === 'open-rfq') return openRfq(world, channel, event, f)
  if (event.kind === 'reprice') return reprice(world, channel, event, f)
  const record = channel.rfq(event.rfqId)
  return record ? applyRfqEvent(world, { channel, record, event, f }) : null
}

/** Splits at the first slash: the slug may contain slashes, the organization may not. */
const splitKey = (key: string) => [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)]

interface RfqEventContext {
  channel: ChannelRecord
  record: RfqRecord
  event: PlannedEvent
  f: Faker
}

function applyRfqEvent(world: World, context: RfqEventContext): string | null {
  if (context.event.kind === 'turn') return takeDeveloperTurn(world, context)
  if (context.event.kind === 'amend') return amend(world, context)
  return decide(world, context)
}

/** Plans the next event of the same kind. */
function reschedule(world: World, event: PlannedEvent, waitMs: number): void {
  world.schedule.add({ ...event, n: event.n + 1, at: event.at + waitMs })
}

// --- the channel ----------------------------------------------------------------------------------------------------

function openRfq(world: World, channel: ChannelRecord, event: PlannedEvent, f: Faker): string | null {
  reschedule(world, event, delay(f, 12, 48))
  const listings = comparableListings(f, channel.listings, f.number.int({ min: 3, max: 8 }))
  const days = f.number.int({ min: 2, max: 12 })
  archiveOldRfqs(world, channel, event.at)
  if (listings.length === 0 || channel.rfqs.length >= MAX_RFQS) return null
  const count = ++channel.created.rfqs
  const terms = makeRfq(world.random, {
    name: `${event.channel}/rfq/${count}`,
    number: 1000 + count,
    listings,
    openedAt: event.at,
    responseDueDate: daysAfter(calendarDate(event.at), days),
  })
  const record = world.putRfq(channel, new RfqRecord(terms))
  world.schedule.addAll(planRfqEvents(world, channel, record, event.at))
  return `RFQ ${terms.number} opened: ${terms.title}, responses due ${terms.responseDueDate}`
}

/** Removes the oldest closed RFQs of a channel that has reached its limit. */
function archiveOldRfqs(world: World, channel: ChannelRecord, now: number): void {
  for (const { terms } of channel.rfqs.slice(0, Math.max(0, channel.rfqs.length - MAX_RFQS + 1))) {
    if (terms.state === 'closed' && endOf(terms.responseDueDate) + 14 * DAY < now) world.removeRfq(terms.id)
  }
}

function reprice(world: World, channel: ChannelRecord, event: PlannedEvent, f: Faker): string | null {
  reschedule(world, event, delay(f, 20, 90))
  if (channel.listings.length === 0) return null
  const listing = f.helpers.arrayElement(channel.listings)
  const { pricing } = world.changeListing(listing.id, repriceListing(f, listing))
  return `${listing.projectName} now asks ${pricing.minUnitPrice} to ${pricing.maxUnitPrice} ${pricing.currency}`
}

// --- an RFQ ---------------------------------------------------------------------------------------------------------

/** Lets developers act until the due date: submits an offer, revises one, or decides a review. */
function takeDeveloperTurn(world: World, context: RfqEventContext): string | null {
  const { record, event, f } = context
  const { state, responseDueDate } = record.terms
  const dueEnd = endOf(responseDueDate)
  if (state !== 'open' || event.at > dueEnd + AUTO_CLOSE_DAYS * DAY) return null
  reschedule(world, event, delay(f, 2, 20))
  if (event.at >= dueEnd) return null
  const pending = record.responses.filter((response) => response.offer.review?.status === 'pending')
  const submitted = record.responses.filter((response) => response.status === 'submitted')
  const withoutOffer = record.terms.listingIds.filter((id) =>
    record.responses.every(({ listingId }) => listingId !== id),
  )
  const choice = f.number.float()
  if (choice < 0.5 && withoutOffer.length > 0) return newOffer(world, context, f.helpers.arrayElement(withoutOffer))
  if (choice < 0.75 && submitted.length > 0) return revise(world, context, f.helpers.arrayElement(submitted))
  return pending.length > 0 ? review(world, context, f.helpers.arrayElement(pending)) : null
}

/** An offer for a listing that has none yet. */
function newOffer(world: World, { channel, record, event }: RfqEventContext, listingId: string): string {
  const generated = world.generateResponse(channel, record, event.at, listingId)
  const response = world.putResponse({ channel, record }, generated)
  return `RFQ ${record.terms.number}: offer from ${describe(response)}`
}

function revise(world: World, { record, event, f }: RfqEventContext, response: RfqResponse): string {
  const offer = reviseOffer(f, response, event.at)
  const revised = world.changeResponse(response.id, { submittedAt: timestamp(event.at), offer })
  return `RFQ ${record.terms.number}: revised offer from ${describe(revised)}`
}

function review(world: World, { record, event, f }: RfqEventContext, response: RfqResponse): string {
  const decided = decideReview(f, response.offer.review as Review, event.at)
  world.changeResponse(response.id, { offer: { review: decided } })
  return `RFQ ${record.terms.number}: offer from ${response.projectDeveloperName} reviewed: ${decided.status}`
}

function amend(world: World, { record, event, f }: RfqEventContext): string | null {
  if (record.terms.state !== 'open' || event.at > endOf(record.terms.responseDueDate) + 2 * DAY) return null
  const changes = amendRfq(f, record.terms)
  world.changeRfq(record.terms.id, { ...changes, updatedAt: timestamp(event.at) })
  const what = Object.keys(changes).join(', ')
  return `RFQ ${record.terms.number} amended: ${what} (responses due ${record.terms.responseDueDate})`
}

/** After the due date, the buyer accepts or rejects the offers, even while the RFQ is open. Later the channel closes it. */
function decide(world: World, { record, event, f }: RfqEventContext): string | null {
  const { id, number, state, responseDueDate } = record.terms
  const dueEnd = endOf(responseDueDate)
  if (event.at < dueEnd) {
    reschedule(world, event, dueEnd - event.at + delay(f, 20, 70))
    return null
  }
  const submitted = record.responses.filter((response) => response.status === 'submitted')
  if (submitted.length > 0) {
    reschedule(world, event, delay(f, 5, 40))
    return decideOffer(world, record, submitted[0] as RfqResponse)
  }
  if (state === 'closed') return null
  if (event.at < dueEnd + AUTO_CLOSE_DAYS * DAY) {
    reschedule(world, event, dueEnd + AUTO_CLOSE_DAYS * DAY - event.at)
    return null
  }
  const closedAt = timestamp(event.at)
  world.changeRfq(id, { state: 'closed', closedAt, updatedAt: closedAt })
  return `RFQ ${number} closed by the channel`
}

/** Accepts the cheapest offer whose review was not rejected, and rejects the others, one per event. */
function decideOffer(world: World, record: RfqRecord, response: RfqResponse): string {
  const won = response === cheapest(record) && record.responses.every((each) => each.status !== 'accepted')
  const status = won ? 'accepted' : 'rejected'
  world.changeResponse(response.id, { status })
  return `RFQ ${record.terms.number}: offer from ${describe(response)} ${status}`
}

function cheapest(record: RfqRecord): RfqResponse | undefined {
  const eligible = record.responses.filter((response) => response.offer.review?.status !== 'rejected')
  return eligible.toSorted((one, other) => unitPrice(one) - unitPrice(other))[0]
}

const unitPrice = ({ offer }: RfqResponse) => offer.totalPrice / offer.totalVolume

const describe = ({ projectDeveloperName, offer }: RfqResponse) =>
  `${projectDeveloperName}, ${offer.totalVolume} t for ${offer.totalPrice} ${offer.currency}`

/** A random time between two numbers of hours, in milliseconds. */
const delay = (f: Faker, min: number, max: number): number => Math.round(f.number.float({ min, max }) * HOUR)
