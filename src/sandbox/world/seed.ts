import { type ChannelRef, channelKey } from '../../core/channel.js'
import { addDays } from '../../core/time/calendar-days.js'
import { calendarDate, DAY, endOf, HOUR, timestamp } from './calendar.js'
import { planChannelEvents, planRfqEvents } from './events.js'
import { type Channel, RfqRecord, type Theme } from './records.js'
import { reviewed } from './responses.js'
import { comparableListings, makeRfq, openingBefore } from './rfqs.js'
import { World } from './world.js'

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
 * is due today, most are due later. Those of `CLOSED` were decided in the past.
 */
const DUE_DAYS = [9, -3, 0, 4, -12, 2, -1, 16, 1, 6, -40, 12] as const
const CLOSED: readonly number[] = [-12, -40]

/** Creates a world of realistic listings, RFQs and offers. */
export function createWorld({ seed, now, channels = DEFAULT_CHANNELS, still = false }: WorldOptions): World {
  const world = new World({ seed, now })
  for (const spec of channels) {
    const key = spec.apiKey ?? world.keys[spec.org] ?? `sandbox-${world.random.uuid(`key/${spec.org}`)}`
    world.keys[spec.org] = key
    const channel = world.addChannel(spec)
    for (let index = 0; index < (spec.listings ?? 8); index++) world.addListing(spec)
    if (!still) planChannelEvents(world, channel, now.getTime())
    for (let index = 0; index < (spec.rfqs ?? 8); index++) {
      const record = seedRfq(world, channel, { ...spec, dueInDays: DUE_DAYS[index % DUE_DAYS.length] ?? 0 })
      if (!still) planRfqEvents(world, channel, record, now.getTime())
    }
  }
  return world
}

function seedRfq(world: World, channel: Channel, spec: ChannelSpec & { dueInDays: number }): RfqRecord {
  const name = `${channelKey(channel)}/rfq/${++channel.created.rfqs}`
  const { dueInDays } = spec
  const responseDueDate = addDays(calendarDate(world.now()), dueInDays)
  const values = world.random.values(`${name}/seed`)
  const count = spec.responsesPerRfq ?? values.integer(dueInDays > 8 ? 0 : 2, 6)
  const openedAt = openingBefore(values, responseDueDate, values.integer(10, 20) + Math.max(0, dueInDays - 6))
  const listings = comparableListings(values, channel.listings, count + 3)
  if (listings.length === 0) listings.push(world.addListing(channel))
  const number = 1000 + channel.created.rfqs
  const record = new RfqRecord(makeRfq(world.random, { name, number, listings, openedAt, responseDueDate }))
  for (let index = 0; index < count; index++) seedResponse(world, { channel, record }, openedAt, index)
  if (CLOSED.includes(dueInDays)) closeInThePast(record)
  return channel.addRfq(record)
}

/** Adds a response submitted between the opening and the due date, most likely already reviewed. */
function seedResponse(
  world: World,
  { channel, record }: { channel: Channel; record: RfqRecord },
  openedAt: number,
  index: number,
): void {
  const now = world.now().getTime()
  const values = world.random.values(`${record.terms.id}/seed/${index}`)
  const latest = Math.min(endOf(record.terms.responseDueDate), now)
  const submittedAt = openedAt + values.integer(HOUR, latest - openedAt - HOUR)
  const reviewedAt = submittedAt + values.integer(HOUR, 5 * DAY)
  const response = world.generateResponse({ channel, record }, new Date(submittedAt))
  const review = world.random.values(`${response.id}/review`)
  record.setResponse(reviewedAt < now ? reviewed(review, response, reviewedAt) : response)
}

/** Closes the RFQ on the morning after its due date; accepts the first offer with an accepted review, rejects the rest. */
function closeInThePast(record: RfqRecord): void {
  const closedAt = timestamp(endOf(record.terms.responseDueDate) + 8 * HOUR)
  record.terms = { ...record.terms, state: 'closed', closedAt, updatedAt: closedAt }
  const winner = record.responses.find(({ offer }) => offer.review?.status === 'accepted')
  record.responses = record.responses.map((response) => ({
    ...response,
    status: response === winner ? 'accepted' : 'rejected',
  }))
}
