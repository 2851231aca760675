import type { Faker } from '@faker-js/faker'
import { calendarDate, DAY, daysAfter, endOf, HOUR, timestamp } from './calendar-dates.js'
import type { ChannelRecord } from './channel-record.js'
import type { Review, RfqResponse } from './document-types.js'
import type { Plan } from './event-schedule.js'
import { repriceListing } from './listing-generator.js'
import { decideReview, reviseOffer } from './response-generator.js'
import { amendRfq, comparableListings, makeRfq } from './rfq-generator.js'
import { RfqRecord } from './rfq-record.js'
import type { World } from './world.js'

/** Something that happened in the world, to be told. */
export interface WorldEvent {
  at: Date
  /** `org/slug`. */
  channel: string
  rfqId: string | null
  text: string
}

/** A world that goes on for months stays this small: older closed RFQs are archived, and no more are opened. */
const MOST_RFQS = 60
/** Days after the due date at which the channel closes what nobody closed. */
const CLOSES_ITSELF_AFTER = 21

/**
 * Lets everything happen that is due up to a moment. Going there in one step or in many gives the same world.
 * @param to where the world's time goes; an earlier moment changes nothing
 * @returns what happened, in order
 */
export function advanceWorld(world: World, to: Date): WorldEvent[] {
  const happened: WorldEvent[] = []
  for (let plan = world.agenda.takeDue(to.getTime()); plan; plan = world.agenda.takeDue(to.getTime())) {
    const told = play(world, plan)
    if (told) happened.push({ at: new Date(plan.at), channel: plan.channel, rfqId: plan.rfqId || null, text: told })
  }
  if (to > world.reached) world.setReached(to)
  return happened
}

/** Plans what the channel does by itself: it opens RFQs, and developers change their prices. */
export function planChannel(world: World, channel: ChannelRecord, now: number): Plan[] {
  const key = `${channel.org}/${channel.channel}`
  const kinds = ['open-rfq', 'reprice'] as const
  return kinds.map((kind) => {
    const f = world.dice.for(`${key}/${kind}/0`)
    return { at: now + delay(f, 3, 30), kind, channel: key, rfqId: '', n: 0 }
  })
}

/** Plans what happens to an open RFQ: offers, revisions and reviews, perhaps an amendment, and the decision. */
export function planRfq(world: World, channel: ChannelRecord, record: RfqRecord, now: number): Plan[] {
  const { id: rfqId, responseDueDate } = record.terms
  const common = { channel: `${channel.org}/${channel.channel}`, rfqId, n: 0 }
  const f = world.dice.for(`${rfqId}/plans`)
  const plans: Plan[] = [
    { ...common, kind: 'turn', at: now + delay(f, 0.5, 12) },
    { ...common, kind: 'decide', at: Math.max(now, endOf(responseDueDate)) + delay(f, 20, 70) },
  ]
  if (f.datatype.boolean(0.3)) plans.push({ ...common, kind: 'amend', at: now + delay(f, 10, 100) })
  return plans
}

function play(world: World, plan: Plan): string | null {
  const [org = '', slug = ''] = splitKey(plan.channel)
  const channel = world.channel({ org, channel: slug })
  if (!channel) return null
  const f = world.dice.for(`${plan.channel}/${plan.rfqId}/${plan.kind}/${plan.n}`)
  if (plan.kind === 'open-rfq') return openRfq(world, channel, plan, f)
  if (plan.kind === 'reprice') return reprice(world, channel, plan, f)
  const record = channel.rfq(plan.rfqId)
  return record ? playRfq(world, { channel, record, plan, f }) : null
}

/** A slug or organization may hold anything but a slash in its key's first half. */
const splitKey = (key: string) => [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)]

interface Scene {
  channel: ChannelRecord
  record: RfqRecord
  plan: Plan
  f: Faker
}

function playRfq(world: World, scene: Scene): string | null {
  if (scene.plan.kind === 'turn') return takeTurn(world, scene)
  if (scene.plan.kind === 'amend') return amend(world, scene)
  return decide(world, scene)
}

function again(world: World, plan: Plan, wait: number): void {
  world.agenda.add({ ...plan, n: plan.n + 1, at: plan.at + wait })
}

// --- the channel ----------------------------------------------------------------------------------------------------

function openRfq(world: World, channel: ChannelRecord, plan: Plan, f: Faker): string | null {
  again(world, plan, delay(f, 12, 48))
  const listings = comparableListings(f, channel.listings, f.number.int({ min: 3, max: 8 }))
  const days = f.number.int({ min: 2, max: 12 })
  archive(world, channel, plan.at)
  if (listings.length === 0 || channel.rfqs.length >= MOST_RFQS) return null
  const made = ++channel.made.rfqs
  const terms = makeRfq(world.dice, {
    name: `${plan.channel}/rfq/${made}`,
    number: 1000 + made,
    listings,
    openedAt: plan.at,
    responseDueDate: daysAfter(calendarDate(plan.at), days),
  })
  const record = world.putRfq(channel, new RfqRecord(terms))
  world.agenda.addAll(planRfq(world, channel, record, plan.at))
  return `RFQ ${terms.number} opened: ${terms.title}, answers due ${terms.responseDueDate}`
}

/** Removes the oldest closed RFQs of a full channel. */
function archive(world: World, channel: ChannelRecord, now: number): void {
  for (const { terms } of channel.rfqs.slice(0, Math.max(0, channel.rfqs.length - MOST_RFQS + 1))) {
    if (terms.state === 'closed' && endOf(terms.responseDueDate) + 14 * DAY < now) world.removeRfq(terms.id)
  }
}

function reprice(world: World, channel: ChannelRecord, plan: Plan, f: Faker): string | null {
  again(world, plan, delay(f, 20, 90))
  if (channel.listings.length === 0) return null
  const listing = f.helpers.arrayElement(channel.listings)
  const { pricing } = world.changeListing(listing.id, repriceListing(f, listing))
  return `${listing.projectName} now asks ${pricing.minUnitPrice} to ${pricing.maxUnitPrice} ${pricing.currency}`
}

// --- an RFQ ---------------------------------------------------------------------------------------------------------

/** While an RFQ takes answers: a new offer, a revised one, or a review. */
function takeTurn(world: World, scene: Scene): string | null {
  const { record, plan, f } = scene
  const { state, responseDueDate } = record.terms
  const over = endOf(responseDueDate)
  if (state !== 'open' || plan.at > over + CLOSES_ITSELF_AFTER * DAY) return null
  again(world, plan, delay(f, 2, 20))
  if (plan.at >= over) return null
  const pending = record.responses.filter((response) => response.offer.review?.status === 'pending')
  const submitted = record.responses.filter((response) => response.status === 'submitted')
  const silent = record.terms.listingIds.filter((id) => record.responses.every(({ listingId }) => listingId !== id))
  const choice = f.number.float()
  if (choice < 0.5 && silent.length > 0) return newOffer(world, scene, f.helpers.arrayElement(silent))
  if (choice < 0.75 && submitted.length > 0) return revise(world, scene, f.helpers.arrayElement(submitted))
  return pending.length > 0 ? review(world, scene, f.helpers.arrayElement(pending)) : null
}

/** An offer for a listing that has none yet. */
function newOffer(world: World, { channel, record, plan }: Scene, listingId: string): string {
  const drawn = world.drawResponse(channel, record, plan.at, listingId)
  const response = world.putResponse({ channel, record }, drawn)
  return `RFQ ${record.terms.number}: offer of ${describe(response)}`
}

function revise(world: World, { record, plan, f }: Scene, response: RfqResponse): string {
  const offer = reviseOffer(f, response, plan.at)
  const revised = world.changeResponse(response.id, { submittedAt: timestamp(plan.at), offer })
  return `RFQ ${record.terms.number}: revised offer of ${describe(revised)}`
}

function review(world: World, { record, plan, f }: Scene, response: RfqResponse): string {
  const decided = decideReview(f, response.offer.review as Review, plan.at)
  world.changeResponse(response.id, { offer: { review: decided } })
  return `RFQ ${record.terms.number}: review of the offer of ${response.projectDeveloperName}: ${decided.status}`
}

function amend(world: World, { record, plan, f }: Scene): string | null {
  if (record.terms.state !== 'open' || plan.at > endOf(record.terms.responseDueDate) + 2 * DAY) return null
  const changes = amendRfq(f, record.terms)
  world.changeRfq(record.terms.id, { ...changes, updatedAt: timestamp(plan.at) })
  const what = Object.keys(changes).join(', ')
  return `RFQ ${record.terms.number} amended: ${what} (answers due ${record.terms.responseDueDate})`
}

/** The buyer decides after the due date, whether or not the RFQ was closed; at last the channel closes it itself. */
function decide(world: World, { record, plan, f }: Scene): string | null {
  const { id, number, state, responseDueDate } = record.terms
  const over = endOf(responseDueDate)
  if (plan.at < over) {
    again(world, plan, over - plan.at + delay(f, 20, 70))
    return null
  }
  const submitted = record.responses.filter((response) => response.status === 'submitted')
  if (submitted.length > 0) {
    again(world, plan, delay(f, 5, 40))
    return settle(world, record, submitted[0] as RfqResponse)
  }
  if (state === 'closed') return null
  if (plan.at < over + CLOSES_ITSELF_AFTER * DAY) {
    again(world, plan, over + CLOSES_ITSELF_AFTER * DAY - plan.at)
    return null
  }
  const closedAt = timestamp(plan.at)
  world.changeRfq(id, { state: 'closed', closedAt, updatedAt: closedAt })
  return `RFQ ${number} closed by the channel`
}

/** The cheapest reviewed offer wins, the others are rejected one after another. */
function settle(world: World, record: RfqRecord, response: RfqResponse): string {
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

/** Between so many hours, in milliseconds. */
const delay = (f: Faker, least: number, most: number): number =>
  Math.round(f.number.float({ min: least, max: most }) * HOUR)
