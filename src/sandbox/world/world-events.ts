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

/** Bounds a world that runs for months: old closed RFQs are archived, and no more are opened. */
const MAX_RFQS = 60
/** Days after the due date at which the channel closes an RFQ that is still open. */
const AUTO_CLOSE_DAYS = 21

/**
 * Lets all events due up to a moment happen. One large step and many small ones give the same world.
 * @param to the world's new time; an earlier moment changes nothing
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
function applyEvent(world: World, plan: PlannedEvent): string | null {
  const [org = '', slug = ''] = splitKey(plan.channel)
  const channel = world.channel({ org, channel: slug })
  if (!channel) return null
  const f = world.random.faker(`${plan.channel}/${plan.rfqId}/${plan.kind}/${plan.n}`)
  if (plan.kind === 'open-rfq') return openRfq(world, channel, plan, f)
  if (plan.kind === 'reprice') return reprice(world, channel, plan, f)
  const record = channel.rfq(plan.rfqId)
  return record ? applyRfqEvent(world, { channel, record, plan, f }) : null
}

/** Splits at the first slash: the slug may contain slashes, the organization may not. */
const splitKey = (key: string) => [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)]

interface RfqEvent {
  channel: ChannelRecord
  record: RfqRecord
  plan: PlannedEvent
  f: Faker
}

function applyRfqEvent(world: World, event: RfqEvent): string | null {
  if (event.plan.kind === 'turn') return takeDeveloperTurn(world, event)
  if (event.plan.kind === 'amend') return amend(world, event)
  return decide(world, event)
}

/** Plans the next event of the same kind. */
function reschedule(world: World, plan: PlannedEvent, waitMs: number): void {
  world.schedule.add({ ...plan, n: plan.n + 1, at: plan.at + waitMs })
}

// --- the channel ----------------------------------------------------------------------------------------------------

function openRfq(world: World, channel: ChannelRecord, plan: PlannedEvent, f: Faker): string | null {
  reschedule(world, plan, delay(f, 12, 48))
  const listings = comparableListings(f, channel.listings, f.number.int({ min: 3, max: 8 }))
  const days = f.number.int({ min: 2, max: 12 })
  archiveOldRfqs(world, channel, plan.at)
  if (listings.length === 0 || channel.rfqs.length >= MAX_RFQS) return null
  const count = ++channel.created.rfqs
  const terms = makeRfq(world.random, {
    name: `${plan.channel}/rfq/${count}`,
    number: 1000 + count,
    listings,
    openedAt: plan.at,
    responseDueDate: daysAfter(calendarDate(plan.at), days),
  })
  const record = world.putRfq(channel, new RfqRecord(terms))
  world.schedule.addAll(planRfqEvents(world, channel, record, plan.at))
  return `RFQ ${terms.number} opened: ${terms.title}, responses due ${terms.responseDueDate}`
}

/** Removes the oldest closed RFQs of a channel that has reached its limit. */
function archiveOldRfqs(world: World, channel: ChannelRecord, now: number): void {
  for (const { terms } of channel.rfqs.slice(0, Math.max(0, channel.rfqs.length - MAX_RFQS + 1))) {
    if (terms.state === 'closed' && endOf(terms.responseDueDate) + 14 * DAY < now) world.removeRfq(terms.id)
  }
}

function reprice(world: World, channel: ChannelRecord, plan: PlannedEvent, f: Faker): string | null {
  reschedule(world, plan, delay(f, 20, 90))
  if (channel.listings.length === 0) return null
  const listing = f.helpers.arrayElement(channel.listings)
  const { pricing } = world.changeListing(listing.id, repriceListing(f, listing))
  return `${listing.projectName} now asks ${pricing.minUnitPrice} to ${pricing.maxUnitPrice} ${pricing.currency}`
}

// --- an RFQ ---------------------------------------------------------------------------------------------------------

/** Until the due date: a new offer, a revised one, or a review. */
function takeDeveloperTurn(world: World, event: RfqEvent): string | null {
  const { record, plan, f } = event
  const { state, responseDueDate } = record.terms
  const dueEnd = endOf(responseDueDate)
  if (state !== 'open' || plan.at > dueEnd + AUTO_CLOSE_DAYS * DAY) return null
  reschedule(world, plan, delay(f, 2, 20))
  if (plan.at >= dueEnd) return null
  const pending = record.responses.filter((response) => response.offer.review?.status === 'pending')
  const submitted = record.responses.filter((response) => response.status === 'submitted')
  const unanswered = record.terms.listingIds.filter((id) => record.responses.every(({ listingId }) => listingId !== id))
  const choice = f.number.float()
  if (choice < 0.5 && unanswered.length > 0) return newOffer(world, event, f.helpers.arrayElement(unanswered))
  if (choice < 0.75 && submitted.length > 0) return revise(world, event, f.helpers.arrayElement(submitted))
  return pending.length > 0 ? review(world, event, f.helpers.arrayElement(pending)) : null
}

/** An offer for a listing that has none yet. */
function newOffer(world: World, { channel, record, plan }: RfqEvent, listingId: string): string {
  const generated = world.generateResponse(channel, record, plan.at, listingId)
  const response = world.putResponse({ channel, record }, generated)
  return `RFQ ${record.terms.number}: offer of ${describe(response)}`
}

function revise(world: World, { record, plan, f }: RfqEvent, response: RfqResponse): string {
  const offer = reviseOffer(f, response, plan.at)
  const revised = world.changeResponse(response.id, { submittedAt: timestamp(plan.at), offer })
  return `RFQ ${record.terms.number}: revised offer of ${describe(revised)}`
}

function review(world: World, { record, plan, f }: RfqEvent, response: RfqResponse): string {
  const decided = decideReview(f, response.offer.review as Review, plan.at)
  world.changeResponse(response.id, { offer: { review: decided } })
  return `RFQ ${record.terms.number}: review of the offer of ${response.projectDeveloperName}: ${decided.status}`
}

function amend(world: World, { record, plan, f }: RfqEvent): string | null {
  if (record.terms.state !== 'open' || plan.at > endOf(record.terms.responseDueDate) + 2 * DAY) return null
  const changes = amendRfq(f, record.terms)
  world.changeRfq(record.terms.id, { ...changes, updatedAt: timestamp(plan.at) })
  const what = Object.keys(changes).join(', ')
  return `RFQ ${record.terms.number} amended: ${what} (responses due ${record.terms.responseDueDate})`
}

/** After the due date the buyer decides on the offers, even of an open RFQ; eventually the channel closes the RFQ. */
function decide(world: World, { record, plan, f }: RfqEvent): string | null {
  const { id, number, state, responseDueDate } = record.terms
  const dueEnd = endOf(responseDueDate)
  if (plan.at < dueEnd) {
    reschedule(world, plan, dueEnd - plan.at + delay(f, 20, 70))
    return null
  }
  const submitted = record.responses.filter((response) => response.status === 'submitted')
  if (submitted.length > 0) {
    reschedule(world, plan, delay(f, 5, 40))
    return decideOffer(world, record, submitted[0] as RfqResponse)
  }
  if (state === 'closed') return null
  if (plan.at < dueEnd + AUTO_CLOSE_DAYS * DAY) {
    reschedule(world, plan, dueEnd + AUTO_CLOSE_DAYS * DAY - plan.at)
    return null
  }
  const closedAt = timestamp(plan.at)
  world.changeRfq(id, { state: 'closed', closedAt, updatedAt: closedAt })
  return `RFQ ${number} closed by the channel`
}

/** Accepts the cheapest offer whose review was not rejected, and rejects the others, one per event. */
function decideOffer(world: World, record: RfqRecord, response: RfqResponse): string {
  const won = response === cheapest(record) && record.responses.every((each) => each.status !== 'accepted')
  const status = won ? 'accepted' : 'rejected'
  world.changeResponse(response.id, { status })
  return `RFQ ${record.terms.number}: offer of ${describe(response)} ${status}`
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
