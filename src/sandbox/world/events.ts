import { channelKey } from '../../core/channel.js'
import { addDays } from '../../core/time/calendar-days.js'
import { calendarDate, DAY, endOf, HOUR, timestamp } from './calendar.js'
import { repriceListing } from './listings.js'
import type { RandomValues } from './random.js'
import { type Channel, type PlannedEvent, RfqRecord, type RfqResponse } from './records.js'
import { reviewed, reviseOffer } from './responses.js'
import { amendRfq, comparableListings, makeRfq } from './rfqs.js'
import type { World } from './world.js'

/** Something that happened in the world. */
export interface WorldEvent {
  at: Date
  /** `org/slug`. */
  channel: string
  text: string
}

/** Days after the due date at which the channel closes an RFQ that is still open. */
const AUTO_CLOSE_DAYS = 21

/**
 * Applies all events that are due by a moment. One large step gives the same world as many small ones.
 * @returns the events that happened, in order
 */
export function advanceWorld(world: World, to: Date): WorldEvent[] {
  const happened: WorldEvent[] = []
  for (let event = takeDue(world, to); event; event = takeDue(world, to)) {
    const text = applyEvent(world, event)
    if (text !== null) happened.push({ at: new Date(event.at), channel: channelKey(event.channel), text })
  }
  return happened
}

/** Removes and returns the earliest planned event if it is due. */
function takeDue({ planned }: World, to: Date): PlannedEvent | undefined {
  planned.sort((one, other) => one.at - other.at || (nameOf(one) < nameOf(other) ? -1 : 1))
  return planned[0] && planned[0].at <= to.getTime() ? planned.shift() : undefined
}

const nameOf = ({ channel, rfqId, kind, n }: PlannedEvent) => `${channelKey(channel)}/${rfqId}/${kind}/${n}`

/** Plans the events of a channel: it opens RFQs, and developers change their prices. */
export function planChannelEvents(world: World, channel: Channel, now: number): void {
  for (const kind of ['open-rfq', 'reprice'] as const) {
    const values = world.random.values(`${channelKey(channel)}/${kind}/0`)
    world.planned.push({ at: now + delay(values, 3, 30), kind, channel, rfqId: '', n: 0 })
  }
}

/** Plans the events of an open RFQ: offers, revisions and reviews, perhaps an amendment, and the buyer's decision. */
export function planRfqEvents(world: World, channel: Channel, { terms }: RfqRecord, now: number): void {
  const common = { channel, rfqId: terms.id, n: 0 }
  const values = world.random.values(`${terms.id}/plans`)
  world.planned.push({ ...common, kind: 'turn', at: now + delay(values, 0.5, 12) })
  const decidedFrom = Math.max(now, endOf(terms.responseDueDate))
  world.planned.push({ ...common, kind: 'decide', at: decidedFrom + delay(values, 20, 70) })
  if (values.chance(0.3)) world.planned.push({ ...common, kind: 'amend', at: now + delay(values, 10, 100) })
}

/** Plans the next event of the same kind. */
function reschedule(world: World, event: PlannedEvent, waitMs: number): void {
  world.planned.push({ ...event, n: event.n + 1, at: event.at + waitMs })
}

/** A random time between two numbers of hours, in milliseconds. */
const delay = (values: RandomValues, min: number, max: number): number => Math.round(values.number(min, max) * HOUR)

/** Changes the world. Returns a description of what happened, or null if nothing did. */
function applyEvent(world: World, event: PlannedEvent): string | null {
  const values = world.random.values(nameOf(event))
  if (event.kind === 'open-rfq') return openRfq(world, event, values)
  if (event.kind === 'reprice') return reprice(world, event, values)
  const record = event.channel.rfq(event.rfqId)
  if (!record) return null
  if (event.kind === 'turn') return takeTurn(world, { record, event, values })
  return event.kind === 'amend' ? amend(world, { record, event, values }) : decide(world, { record, event, values })
}

function openRfq(world: World, event: PlannedEvent, values: RandomValues): string | null {
  const { channel, at } = event
  reschedule(world, event, delay(values, 12, 48))
  const listings = comparableListings(values, channel.listings, values.integer(3, 8))
  if (listings.length === 0) return null
  const responseDueDate = addDays(calendarDate(at), values.integer(2, 12))
  const count = ++channel.created.rfqs
  const name = `${channelKey(channel)}/rfq/${count}`
  const terms = makeRfq(world.random, { name, number: 1000 + count, listings, openedAt: at, responseDueDate })
  planRfqEvents(world, channel, channel.addRfq(new RfqRecord(terms)), at)
  return `RFQ ${terms.number} opened: ${terms.title}, responses due ${terms.responseDueDate}`
}

function reprice(world: World, event: PlannedEvent, values: RandomValues): string | null {
  reschedule(world, event, delay(values, 20, 90))
  if (event.channel.listings.length === 0) return null
  const listing = values.pick(event.channel.listings)
  const { pricing } = world.changeListing(listing.id, repriceListing(values, listing))
  return `${listing.projectName} now asks ${pricing.minUnitPrice} to ${pricing.maxUnitPrice} ${pricing.currency}`
}

interface RfqEvent {
  record: RfqRecord
  event: PlannedEvent
  values: RandomValues
}

/** Lets a developer act until the due date: submit an offer, revise one, or have one reviewed by the channel. */
function takeTurn(world: World, { record, event, values }: RfqEvent): string | null {
  const { state, responseDueDate, number, listingIds } = record.terms
  if (state !== 'open' || event.at >= endOf(responseDueDate) + AUTO_CLOSE_DAYS * DAY) return null
  reschedule(world, event, delay(values, 2, 20))
  if (event.at >= endOf(responseDueDate)) return null
  const pending = record.responses.filter((response) => response.offer.review?.status === 'pending')
  const submitted = record.responses.filter((response) => response.status === 'submitted')
  const unanswered = listingIds.filter((id) => record.responses.every(({ listingId }) => listingId !== id))
  const choice = values.number(0, 1)
  if (choice < 0.5 && unanswered.length > 0) {
    const listingId = values.pick(unanswered)
    const response = world.generateResponse({ channel: event.channel, record }, new Date(event.at), listingId)
    record.setResponse(response)
    return `RFQ ${number}: offer from ${describe(response)}`
  }
  if (choice < 0.75 && submitted.length > 0) {
    const response = values.pick(submitted)
    const changes = { submittedAt: timestamp(event.at), offer: reviseOffer(values, response, event.at) }
    return `RFQ ${number}: revised offer from ${describe(world.changeResponse(response.id, changes))}`
  }
  if (pending.length === 0) return null
  const response = values.pick(pending)
  const decided = reviewed(values, response, event.at)
  record.setResponse(decided)
  return `RFQ ${number}: offer from ${response.projectDeveloperName} reviewed: ${decided.offer.review?.status}`
}

function amend(world: World, { record, event, values }: RfqEvent): string | null {
  const { id, number, state, responseDueDate } = record.terms
  if (state !== 'open' || event.at > endOf(responseDueDate) + 2 * DAY) return null
  const changes = amendRfq(values, record.terms)
  world.changeRfq(id, { ...changes, updatedAt: timestamp(event.at) })
  const what = Object.keys(changes).join(', ')
  return `RFQ ${number} amended: ${what} (responses due ${record.terms.responseDueDate})`
}

/** After the due date, the buyer accepts or rejects the offers, even while the RFQ is open. Later the channel closes it. */
function decide(world: World, { record, event, values }: RfqEvent): string | null {
  const { id, number, state, responseDueDate } = record.terms
  const dueEnd = endOf(responseDueDate)
  if (event.at < dueEnd) {
    reschedule(world, event, dueEnd - event.at + delay(values, 20, 70))
    return null
  }
  const next = record.responses.find((response) => response.status === 'submitted')
  if (next) {
    reschedule(world, event, delay(values, 5, 40))
    return decideOffer(record, next)
  }
  if (state === 'closed') return null
  const closedAt = dueEnd + AUTO_CLOSE_DAYS * DAY
  if (event.at < closedAt) {
    reschedule(world, event, closedAt - event.at)
    return null
  }
  world.changeRfq(id, { state: 'closed', closedAt: timestamp(event.at), updatedAt: timestamp(event.at) })
  return `RFQ ${number} closed by the channel`
}

/** Accepts the cheapest offer whose review was not rejected, and rejects the others, one per event. */
function decideOffer(record: RfqRecord, response: RfqResponse): string {
  const eligible = record.responses.filter(({ offer }) => offer.review?.status !== 'rejected')
  const [cheapest] = eligible.toSorted((one, other) => unitPrice(one) - unitPrice(other))
  const isFirst = record.responses.every(({ status }) => status !== 'accepted')
  const status = response === cheapest && isFirst ? 'accepted' : 'rejected'
  record.setResponse({ ...response, status })
  return `RFQ ${record.terms.number}: offer from ${describe(response)} ${status}`
}

const unitPrice = ({ offer }: RfqResponse) => offer.totalPrice / offer.totalVolume

const describe = ({ projectDeveloperName, offer }: RfqResponse) =>
  `${projectDeveloperName}, ${offer.totalVolume} t for ${offer.totalPrice} ${offer.currency}`
