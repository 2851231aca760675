import type { ChannelRef } from '../domain/channel.js'
import { calendarDate, DAY, daysAfter, endOf, HOUR, timestamp } from './calendar-dates.js'
import type { Theme } from './catalogue.js'
import type { ChannelRecord } from './channel-record.js'
import type { Review, RfqResponse } from './document-types.js'
import type { Plan } from './event-schedule.js'
import { decideReview } from './response-generator.js'
import { comparableListings, makeRfq, openingBefore } from './rfq-generator.js'
import { RfqRecord } from './rfq-record.js'
import { World } from './world.js'
import { planChannel, planRfq } from './world-events.js'

/** A channel to be filled. */
export interface ChannelSpec extends ChannelRef {
  /** Key of the organization; drawn from the seed if absent. */
  apiKey?: string
  theme?: Theme
  listings?: number
  rfqs?: number
  /** Responses to each RFQ; if absent, from none to six. */
  responsesPerRfq?: number
}

export interface WorldOptions {
  /** Equal seeds, times and channels make equal worlds. */
  seed: number
  /** The beginning: due dates lie around it. */
  now: Date
  /** Defaults to `defaultChannels`. */
  channels?: readonly ChannelSpec[]
  /** Nothing happens by itself when time passes. */
  still?: boolean
}

/** Two organizations with three channels, enough to show everything. */
export const defaultChannels: readonly ChannelSpec[] = [
  { org: 'acme', channel: 'forest', theme: 'forest', listings: 14, rfqs: 12 },
  { org: 'acme', channel: 'blue-carbon', theme: 'blue', listings: 7, rfqs: 5 },
  { org: 'meridian', channel: 'removals', theme: 'removal', listings: 10, rfqs: 8 },
]

/**
 * Days from the start to the due dates of a channel's RFQs, over and over: some are past due and still open, one is
 * due today, most later. `closed` ones are history.
 */
const DUE: readonly { days: number; closed?: true }[] = [
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

/** Makes a world full of credible projects, requests and offers. */
export function createWorld({ seed, now, channels = defaultChannels, still = false }: WorldOptions): World {
  const world = new World({ seed, now })
  const plans: Plan[] = []
  for (const spec of channels) {
    world.addKey(spec.org, spec.apiKey ?? drawKey(world, spec.org))
    plans.push(...fillChannel(world, spec, now.getTime()))
  }
  if (!still) world.agenda.addAll(plans)
  return world
}

/** The key an organization has unless another is handed in. */
export const drawKey = (world: World, org: string): string => `sandbox-${world.dice.uuid(`key/${org}`)}`

function fillChannel(world: World, spec: ChannelSpec, now: number): Plan[] {
  const channel = world.addChannel(spec)
  for (let index = 0; index < (spec.listings ?? 8); index++) world.addListing(spec)
  const plans = planChannel(world, channel, now)
  for (let index = 0; index < (spec.rfqs ?? 8); index++) plans.push(...seedRfq(world, { channel, spec, index, now }))
  return plans
}

interface RfqSeed {
  channel: ChannelRecord
  spec: ChannelSpec
  index: number
  now: number
}

function seedRfq(world: World, { channel, spec, index, now }: RfqSeed): Plan[] {
  const name = `${channel.org}/${channel.channel}/rfq/${++channel.made.rfqs}`
  const due = DUE[index % DUE.length] ?? { days: 9 }
  const responseDueDate = daysAfter(calendarDate(now), due.days)
  const f = world.dice.for(`${name}/seed`)
  const count = spec.responsesPerRfq ?? f.number.int({ min: due.days > 8 ? 0 : 2, max: 6 })
  const openedAt = openingBefore(f, responseDueDate, f.number.int({ min: 10, max: 20 }) + Math.max(0, due.days - 6))
  const listings = comparableListings(f, channel.listings, count + 3)
  if (listings.length === 0) listings.push(world.addListing(channel))
  const number = 1000 + channel.made.rfqs
  const terms = makeRfq(world.dice, { name, number, listings, openedAt, responseDueDate })
  const record = new RfqRecord(terms)
  seedResponses(world, { channel, spec, index, now, record, count })
  if (due.closed) closeInThePast(record)
  world.putRfq(channel, record)
  return planRfq(world, channel, record, now)
}

/** Answers given between the opening and the due date, most of them reviewed since. */
function seedResponses(
  world: World,
  { channel, record, count, now }: RfqSeed & { record: RfqRecord; count: number },
): void {
  const opened = Date.parse(record.terms.openedAt ?? record.terms.createdAt)
  const latest = Math.min(endOf(record.terms.responseDueDate), now)
  for (let made = 0; made < count; made++) {
    const f = world.dice.for(`${record.terms.id}/seed/${made}`)
    const submittedAt = opened + f.number.int({ min: HOUR, max: latest - opened - HOUR })
    const reviewedAt = submittedAt + f.number.int({ min: HOUR, max: 5 * DAY })
    const response = world.drawResponse(channel, record, submittedAt)
    record.setResponse(reviewedAt < now ? reviewed(world, response, reviewedAt) : response)
  }
}

function reviewed(world: World, response: RfqResponse, at: number): RfqResponse {
  const review = response.offer.review as Review
  return {
    ...response,
    offer: { ...response.offer, review: decideReview(world.dice.for(`${response.id}/review`), review, at) },
  }
}

/** Closed the morning after its due date, the first well-reviewed offer accepted and the others rejected. */
function closeInThePast(record: RfqRecord): void {
  const closedAt = timestamp(endOf(record.terms.responseDueDate) + 8 * HOUR)
  record.setTerms({ ...record.terms, state: 'closed', closedAt, updatedAt: closedAt })
  const winner = record.responses.find(({ offer }) => offer.review?.status === 'accepted')
  for (const response of record.responses) {
    record.setResponse({ ...response, status: response === winner ? 'accepted' : 'rejected' })
  }
}
