import { type ChannelRef, channelKey } from '../../core/channel.js'
import { addDays } from '../../core/time/calendar-days.js'
import type { Clock } from '../../core/time/clock.js'
import { calendarDate, DAY, timestamp } from './calendar.js'
import { makeListing } from './listings.js'
import { SeededRandom } from './random.js'
import {
  Channel,
  type Listing,
  type Offer,
  type PlannedEvent,
  type Rfq,
  RfqRecord,
  type RfqResponse,
  type RfqTerms,
  type Theme,
} from './records.js'
import { makeResponse } from './responses.js'
import { makeRfq } from './rfqs.js'

/** Changes to a response; those of the offer may be partial. */
type ResponseChanges = Partial<Omit<RfqResponse, 'offer'>> & { offer?: Partial<Offer> }
/** The members to replace, or a function from the document to its new version. */
type Change<T, Patch = Partial<T>> = Patch | ((document: T) => T)
interface RfqLocation {
  channel: Channel
  record: RfqRecord
}

/** The marketplace's state. The documents that a method does not find are a `RangeError`. */
export class World {
  readonly random: SeededRandom
  /** The API key of each organization. */
  readonly keys: Record<string, string> = {}
  /** The events that will happen as time passes. */
  readonly planned: PlannedEvent[] = []
  now: Clock
  readonly #channels = new Map<string, Channel>()

  constructor({ seed, now }: { seed: number; now: Date }) {
    this.random = new SeededRandom(seed)
    this.now = () => now
  }

  get channels(): Channel[] {
    return [...this.#channels.values()]
  }
  channel(ref: ChannelRef): Channel | undefined {
    return this.#channels.get(channelKey(ref))
  }
  addChannel(ref: ChannelRef & { theme?: Theme }): Channel {
    const channel = new Channel(ref)
    this.#channels.set(channelKey(ref), channel)
    return channel
  }

  /** Adds a listing; members that are not given are generated. */
  addListing(ref: ChannelRef, given: Partial<Listing> = {}): Listing {
    const channel = this.#findChannel(ref)
    const name = `${channelKey(ref)}/listing/${++channel.created.listings}`
    const generated = makeListing(this.random, { name, theme: channel.theme, now: this.now().getTime() })
    const listing = { ...generated, ...given }
    channel.listings.push(listing)
    return listing
  }
  changeListing(id: string, change: Change<Listing>): Listing {
    const { listings, index, listing } = this.#findListing(id)
    listings[index] = apply(listing, change)
    return listings[index]
  }
  removeListing(id: string): void {
    const { listings, index } = this.#findListing(id)
    listings.splice(index, 1)
  }

  /** Adds an open RFQ, due in ten days; members that are not given are generated. No events are planned for it. */
  addRfq(ref: ChannelRef, given: Partial<RfqTerms> & { responses?: RfqResponse[] } = {}): Rfq {
    const channel = this.#findChannel(ref)
    const count = ++channel.created.rfqs
    const now = this.now().getTime()
    const generated = makeRfq(this.random, {
      name: `${channelKey(ref)}/rfq/${count}`,
      number: 1000 + count,
      listings: this.#listingsFor(channel, given.listingIds),
      openedAt: now - DAY,
      responseDueDate: given.responseDueDate ?? addDays(calendarDate(now), 10),
    })
    const { responses, ...terms } = given
    return channel.addRfq(new RfqRecord({ ...generated, ...terms }, responses)).singleShape()
  }
  /** The RFQ in its single shape. */
  rfq(id: string): Rfq {
    return this.#locateRfq(id).record.singleShape()
  }
  /** Finds an RFQ in a channel, by default in any channel. */
  findRfq(id: string, ref?: ChannelRef): RfqLocation | undefined {
    for (const channel of this.#channels.values()) {
      const record = !ref || channelKey(ref) === channelKey(channel) ? channel.rfq(id) : undefined
      if (record) return { channel, record }
    }
    return undefined
  }
  /** Changes an RFQ. `updatedAt` becomes the current time unless the change sets it. */
  changeRfq(id: string, change: Change<RfqTerms>, ref?: ChannelRef): Rfq {
    const { channel, record } = this.#locateRfq(id, ref)
    record.terms = apply({ ...record.terms, updatedAt: timestamp(this.now()) }, change)
    if (record.terms.id !== id) {
      channel.removeRfq(id)
      channel.addRfq(record)
    }
    return record.singleShape()
  }
  /** Closes an RFQ as the API does: sets `state`, `closedAt` and `updatedAt`, and leaves its responses as they are. */
  closeRfq(id: string, ref?: ChannelRef): Rfq {
    const closedAt = timestamp(this.now())
    return this.changeRfq(id, { state: 'closed', closedAt, updatedAt: closedAt }, ref)
  }
  removeRfq(id: string): void {
    this.#locateRfq(id).channel.removeRfq(id)
  }

  /** Adds a response submitted now; members that are not given are generated. */
  addResponse(rfqId: string, given: ResponseChanges = {}): RfqResponse {
    const location = this.#locateRfq(rfqId)
    return this.putResponse(location, merge(this.generateResponse(location, this.now(), given.listingId), given))
  }
  /** Adds a complete response to an RFQ. */
  putResponse({ record }: RfqLocation, response: RfqResponse): RfqResponse {
    record.setResponse(response)
    return response
  }
  /** Generates a response to an RFQ without adding it. */
  generateResponse({ channel, record }: RfqLocation, submittedAt: Date, listingId?: string): RfqResponse {
    const index = record.created++
    const { listingIds } = record.terms
    const wanted = listingId ?? listingIds[index % listingIds.length]
    const listing = channel.listings.find(({ id }) => id === wanted) ?? this.#listingsFor(channel)[0]
    return makeResponse(this.random, {
      seed: `${record.terms.id}/response/${index}`,
      rfq: record.terms,
      listing: listing as Listing,
      submittedAt,
    })
  }
  response(id: string): RfqResponse {
    return this.#locateResponse(id).response
  }
  /** Changes a response and its summary in the RFQ. */
  changeResponse(id: string, change: Change<RfqResponse, ResponseChanges>): RfqResponse {
    const { record, response } = this.#locateResponse(id)
    const changed = typeof change === 'function' ? change(response) : merge(response, change)
    record.setResponse(changed, id)
    return changed
  }
  removeResponse(id: string): void {
    const { record } = this.#locateResponse(id)
    record.responses = record.responses.filter((response) => response.id !== id)
  }

  #findChannel(ref: ChannelRef): Channel {
    return this.channel(ref) ?? missing(`channel ${channelKey(ref)}`)
  }
  #findListing(id: string): { listings: Listing[]; index: number; listing: Listing } {
    for (const { listings } of this.channels) {
      const index = listings.findIndex((listing) => listing.id === id)
      const listing = listings[index]
      if (listing) return { listings, index, listing }
    }
    return missing(`listing ${id}`)
  }
  #locateRfq(id: string, ref?: ChannelRef): RfqLocation {
    return this.findRfq(id, ref) ?? missing(`RFQ ${id}`)
  }
  #locateResponse(id: string): RfqLocation & { response: RfqResponse } {
    for (const channel of this.channels) {
      for (const record of channel.rfqs) {
        const response = record.response(id)
        if (response) return { channel, record, response }
      }
    }
    return missing(`response ${id}`)
  }
  /** The channel's listings with these ids; if there are none, its first three, or a new one. */
  #listingsFor(channel: Channel, ids: readonly string[] = []): Listing[] {
    const known = ids.flatMap((id) => channel.listings.find((listing) => listing.id === id) ?? [])
    if (known.length > 0) return known
    return channel.listings.length > 0 ? channel.listings.slice(0, 3) : [this.addListing(channel)]
  }
}

function missing(what: string): never {
  throw new RangeError(`The sandbox has no ${what}.`)
}

const apply = <T extends object>(document: T, change: Change<T>): T =>
  typeof change === 'function' ? change(document) : { ...document, ...change }

const merge = (response: RfqResponse, { offer, ...changes }: ResponseChanges): RfqResponse => ({
  ...response,
  ...changes,
  offer: { ...response.offer, ...offer },
})

/** What a world contains, one line per channel, without API keys. Dates are UTC. */
export function describeWorld(world: World): string {
  const now = timestamp(world.now())
  const lines = world.channels.map((channel) => describeChannel(channel, now.slice(0, 10)))
  const title = `Marketplace with seed ${world.random.seed}, ${now.slice(0, 16).replace('T', ' ')} UTC`
  return [title, ...lines].join('\n')
}

function describeChannel(channel: Channel, today: string): string {
  const due = channel.rfqs.filter(({ terms }) => terms.state === 'open').map(({ terms }) => terms.responseDueDate)
  const pastDue = due.filter((date) => date < today).length
  const dueToday = due.filter((date) => date === today).length
  const closed = channel.rfqs.length - due.length
  const statuses = channel.rfqs.flatMap(({ responses }) => responses.map(({ status }) => status))
  const count = (status: string) => statuses.filter((each) => each === status).length
  return (
    `  ${channelKey(channel)}: ${channel.listings.length} listings; ` +
    `${due.length} RFQs open (${pastDue} past due, ${dueToday} due today), ${closed} closed; ` +
    `${statuses.length} offers (${count('accepted')} accepted, ${count('rejected')} rejected)`
  )
}
