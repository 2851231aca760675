import type { ChannelRef } from '../../core/channel.js'
import { calendarDate, DAY, daysAfter, endOf, HOUR, timestamp } from './calendar-dates.js'
import type { Theme } from './catalogue.js'
import type { ChannelRecord } from './channel-record.js'
import type { Review, RfqResponse } from './document-types.js'
import type { PlannedEvent } from './event-schedule.js'
import { decideReview } from './response-generator.js'
import { comparableListings, makeRfq, openingBefore } from './rfq-generator.js'
import { RfqRecord } from './rfq-record.js'
import { World } from './world.js'
import { planChannelEvents, planRfqEvents } from './world-events.js'

/** A channel to create. */
export interface ChannelSpec extends ChannelRef {
  /** API key of the organization; default: derived from the seed. */
  apiKey?: string
  theme?: Theme
  listings?: number
  rfqs?: number
  /** Responses to each RFQ; default: a random number from 0 to 6. */
  responsesPerRfq?: number
}

interface WorldOptions {
  /** The same seed, time and channels give the same world. */
  seed: number
  /** The world's start; due dates lie before and after it. */
  now: Date
  /** Default: three channels of two organizations. */
  channels?: readonly ChannelSpec[]
  /** No events happen as time passes. */
  still?: boolean
}

/** Two organizations with three channels. */
const DEFAULT_CHANNELS: readonly ChannelSpec[] = [
  { org: 'acme', channel: 'forest', theme: 'forest', listings: 14, rfqs: 12 },
  { org: 'acme', channel: 'blue-carbon', theme: 'blue', listings: 7, rfqs: 5 },
  { org: 'meridian', channel: 'removals', theme: 'removal', listings: 10, rfqs: 8 },
]

/**
 * Days from the start to the due dates of a channel's RFQs, repeated as needed: some are past due but still open, one
 * is due today, most are due later. The `closed` ones were decided in the past.
 */
const DUE_DATES: readonly { days: number; closed?: true }[] = [
  { days: 9 },
  { days: -3 },
  { days: 0 },
  { days: 4 },
  { days: -12, closed: true },
  { days: 2 },
  { days: -1 },
  { days: 16 },
  { days: 1 },
  { days: 6 },
  { days: -40, closed: true },
  { days: 12 },
]

/** Creates a world of realistic listings, RFQs and offers. */
export function createWorld({ seed, now, channels = DEFAULT_CHANNELS, still = false }: WorldOptions): World {
  const world = new World({ seed, now })
  const events: PlannedEvent[] = []
  for (const spec of channels) {
    world.addKey(spec.org, spec.apiKey ?? seededKey(world, spec.org))
    events.push(...fillChannel(world, spec, now.getTime()))
  }
  if (!still) world.schedule.addAll(events)
  return world
}

/** The API key an organization has unless another is given. */
export const seededKey = (world: World, org: string): string => `sandbox-${world.random.uuid(`key/${org}`)}`

function fillChannel(world: World, spec: ChannelSpec, now: number): PlannedEvent[] {
  const channel = world.addChannel(spec)
  for (let index = 0; index < (spec.listings ?? 8); index++) world.addListing(spec)
  const events = planChannelEvents(world, channel, now)
  for (let index = 0; index < (spec.rfqs ?? 8); index++) events.push(...seedRfq(world, { channel, spec, index, now }))
  return events
}

interface RfqSeed {
  channel: ChannelRecord
  spec: ChannelSpec
  index: number
  now: number
}

function seedRfq(world: World, { channel, spec, index, now }: RfqSeed): PlannedEvent[] {
  const name = `${channel.org}/${channel.channel}/rfq/${++channel.created.rfqs}`
  const due = DUE_DATES[index % DUE_DATES.length] ?? { days: 9 }
  const responseDueDate = daysAfter(calendarDate(now), due.days)
  const f = world.random.faker(`${name}/seed`)
  const count = spec.responsesPerRfq ?? f.number.int({ min: due.days > 8 ? 0 : 2, max: 6 })
  const openedAt = openingBefore(f, responseDueDate, f.number.int({ min: 10, max: 20 }) + Math.max(0, due.days - 6))
  const listings = comparableListings(f, channel.listings, count + 3)
  if (listings.length === 0) listings.push(world.addListing(channel))
  const number = 1000 + channel.created.rfqs
  const terms = makeRfq(world.random, { name, number, listings, openedAt, responseDueDate })
  const record = new RfqRecord(terms)
  seedResponses(world, { channel, spec, index, now, record, count })
  if (due.closed) closeInThePast(record)
  world.putRfq(channel, record)
  return planRfqEvents(world, channel, record, now)
}

/** Adds responses submitted between the opening and the due date, most of them already reviewed. */
function seedResponses(
  world: World,
  { channel, record, count, now }: RfqSeed & { record: RfqRecord; count: number },
): void {
  const opened = Date.parse(record.terms.openedAt ?? record.terms.createdAt)
  const latest = Math.min(endOf(record.terms.responseDueDate), now)
  for (let index = 0; index < count; index++) {
    const f = world.random.faker(`${record.terms.id}/seed/${index}`)
    const submittedAt = opened + f.number.int({ min: HOUR, max: latest - opened - HOUR })
    const reviewedAt = submittedAt + f.number.int({ min: HOUR, max: 5 * DAY })
    const response = world.generateResponse(channel, record, submittedAt)
    record.setResponse(reviewedAt < now ? withReview(world, response, reviewedAt) : response)
  }
}

function withReview(world: World, response: RfqResponse, at: number): RfqResponse {
  const review = response.offer.review as Review
  return {
    ...response,
    offer: { ...response.offer, review: decideReview(world.random.faker(`${response.id}/review`), review, at) },
  }
}

/** Closes the RFQ on the morning after its due date; accepts the first offer with an accepted review, rejects the rest. */
function closeInThePast(record: RfqRecord): void {
  const closedAt = timestamp(endOf(record.terms.responseDueDate) + 8 * HOUR)
  record.setTerms({ ...record.terms, state: 'closed', closedAt, updatedAt: closedAt })
  const winner = record.responses.find(({ offer }) => offer.review?.status === 'accepted')
  for (const response of record.responses) {
    record.setResponse({ ...response, status: response === winner ? 'accepted' : 'rejected' })
  }
}
