import { type ChannelRef, channelKey } from '../../core/channel.js'
import type { Clock } from '../../core/time/clock.js'
import { calendarDate, DAY, daysAfter, timestamp } from './calendar-dates.js'
import type { Theme } from './catalogue.js'
import { ChannelRecord } from './channel-record.js'
import type { Listing, Offer, Rfq, RfqResponse, RfqTerms } from './document-types.js'
import { EventSchedule } from './event-schedule.js'
import { makeListing } from './listing-generator.js'
import { makeResponse } from './response-generator.js'
import { makeRfq } from './rfq-generator.js'
import { RfqRecord } from './rfq-record.js'
import { SeededRandom } from './seeded-random.js'

/** Changes to a response; those of the offer may be partial. */
export type ResponseChanges = Partial<Omit<RfqResponse, 'offer'>> & { offer?: Partial<Offer> }
/** The members to replace, or a function from the document to its new version. */
export type Change<T, Patch = Partial<T>> = Patch | ((document: T) => T)

/** An RFQ with the channel it belongs to. */
export interface RfqLocation {
  channel: ChannelRecord
  record: RfqRecord
}

/**
 * The marketplace's state. Every change goes through a method of this class, so that lists, single shapes and
 * summaries agree and change listeners are called.
 */
export class World {
  readonly random: SeededRandom
  /** The events that will happen as time passes. */
  readonly schedule = new EventSchedule()
  readonly #channels = new Map<string, ChannelRecord>()
  readonly #keys = new Map<string, Set<string>>()
  #simulatedUntil: Date
  #clock: Clock | null = null

  constructor(options: { seed: number; now: Date }) {
    this.random = new SeededRandom(options.seed)
    this.#simulatedUntil = new Date(options.now)
  }

  get seed(): number {
    return this.random.seed
  }

  // --- time ---------------------------------------------------------------------------------------------------------

  /** The marketplace's current time: its clock's, or without a clock the moment up to which events have happened. */
  now(): Date {
    return this.#clock?.() ?? this.#simulatedUntil
  }
  /** The moment up to which all due events have happened. */
  get simulatedUntil(): Date {
    return this.#simulatedUntil
  }
  /** Sets the clock; null removes it. */
  setClock(clock: Clock | null): void {
    this.#clock = clock
  }
  /**
   * Records that all events due up to a moment have happened; called by `advanceWorld`. Change listeners are not called,
   * because a state saved earlier would replay the same events.
   */
  setSimulatedUntil(moment: Date): void {
    this.#simulatedUntil = new Date(moment)
  }

  // --- channels and keys --------------------------------------------------------------------------------------------

  get channels(): ChannelRecord[] {
    return [...this.#channels.values()]
  }
  channel(ref: ChannelRef): ChannelRecord | undefined {
    return this.#channels.get(channelKey(ref))
  }
  hasOrg(org: string): boolean {
    return this.channels.some((channel) => channel.org === org)
  }
  /** Adds an empty channel; replaces an existing one with the same name. */
  addChannel(ref: ChannelRef & { theme?: Theme }): ChannelRecord {
    const channel = new ChannelRecord({ theme: 'any', ...ref })
    this.#channels.set(channelKey(ref), channel)
    return channel
  }
  /** Gives an API key access to an organization. Keys are never saved. */
  addKey(org: string, apiKey: string): void {
    const orgs = this.#keys.get(apiKey) ?? new Set()
    this.#keys.set(apiKey, orgs.add(org))
  }
  /** Revokes all keys of an organization. */
  revokeKeys(org: string): void {
    for (const [key, orgs] of this.#keys) if (orgs.delete(org) && orgs.size === 0) this.#keys.delete(key)
  }
  /** The organizations a key has access to; undefined for an unknown key. */
  organizationsFor(apiKey: string): ReadonlySet<string> | undefined {
    return this.#keys.get(apiKey)
  }
  /** One API key of each organization. */
  get keys(): Record<string, string> {
    const keys: Record<string, string> = {}
    for (const [key, orgs] of this.#keys) for (const org of orgs) keys[org] ??= key
    return keys
  }

  // --- listings -----------------------------------------------------------------------------------------------------

  /** Adds a listing; members that are not given are generated. */
  addListing(ref: ChannelRef, given: Partial<Listing> = {}): Listing {
    const channel = this.#channelOrThrow(ref)
    const name = `${channelKey(ref)}/listing/${++channel.created.listings}`
    const generated = makeListing(this.random, { name, theme: channel.theme, now: this.now().getTime() })
    const listing = { ...generated, ...given }
    channel.setListing(listing)
    return listing
  }
  changeListing(id: string, change: Change<Listing>): Listing {
    const channel = this.#findChannel((each) => each.listing(id) !== undefined, `listing ${id}`)
    const listing = apply(channel.listing(id) as Listing, change)
    channel.setListing(listing)
    return listing
  }
  removeListing(id: string): void {
    this.#findChannel((each) => each.listing(id) !== undefined, `listing ${id}`).deleteListing(id)
  }

  // --- RFQs ---------------------------------------------------------------------------------------------------------

  /**
   * Adds an open RFQ, due in ten days; members that are not given are generated. No events are planned for it.
   */
  addRfq(ref: ChannelRef, given: Partial<RfqTerms> & { responses?: readonly RfqResponse[] } = {}): Rfq {
    const channel = this.#channelOrThrow(ref)
    const count = ++channel.created.rfqs
    const now = this.now().getTime()
    const generated = makeRfq(this.random, {
      name: `${channelKey(ref)}/rfq/${count}`,
      number: 1000 + count,
      listings: this.#listingsFor(channel, given.listingIds),
      openedAt: now - DAY,
      responseDueDate: given.responseDueDate ?? daysAfter(calendarDate(now), 10),
    })
    const { responses = [], ...terms } = given
    return this.putRfq(channel, new RfqRecord({ ...generated, ...terms }, responses)).singleShape()
  }
  /** Adds a complete record to a channel. */
  putRfq(channel: ChannelRecord, record: RfqRecord): RfqRecord {
    channel.setRfq(record)
    return record
  }
  /** The RFQ in its single shape. Throws if it does not exist. */
  rfq(id: string): Rfq {
    return this.#findRfqOrThrow(id).record.singleShape()
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
    const { channel, record } = this.#findRfqOrThrow(id, ref)
    const updated = { ...record.terms, updatedAt: timestamp(this.now()) }
    record.setTerms(apply(updated, change))
    if (record.terms.id !== id) {
      channel.deleteRfq(id)
      channel.setRfq(record)
    }
    channel.invalidateRfqs()
    return record.singleShape()
  }
  /** Closes an RFQ as the API does: sets `state`, `closedAt` and `updatedAt`, and leaves its responses as they are. */
  closeRfq(id: string, ref?: ChannelRef): Rfq {
    const closedAt = timestamp(this.now())
    return this.changeRfq(id, { state: 'closed', closedAt, updatedAt: closedAt }, ref)
  }
  removeRfq(id: string, ref?: ChannelRef): void {
    this.#findRfqOrThrow(id, ref).channel.deleteRfq(id)
  }

  // --- responses ----------------------------------------------------------------------------------------------------

  /** Adds a response submitted now; members that are not given are generated. */
  addResponse(rfqId: string, given: ResponseChanges = {}): RfqResponse {
    const { channel, record } = this.#findRfqOrThrow(rfqId)
    const generated = this.generateResponse(channel, record, this.now().getTime(), given.listingId)
    return this.putResponse({ channel, record }, merge(generated, given))
  }
  /** Adds a complete response to an RFQ. */
  putResponse({ channel, record }: RfqLocation, response: RfqResponse): RfqResponse {
    record.setResponse(response)
    channel.invalidateRfqs()
    return response
  }
  /** Generates a response to an RFQ without adding it. */
  generateResponse(channel: ChannelRecord, record: RfqRecord, submittedAt: number, listingId?: string): RfqResponse {
    const index = record.createdResponses++
    const { listingIds } = record.terms
    const listing = this.#listing(channel, listingId ?? listingIds[index % listingIds.length])
    return makeResponse(this.random, {
      seed: `${record.terms.id}/response/${index}`,
      rfq: record.terms,
      listing,
      submittedAt,
    })
  }
  response(id: string): RfqResponse {
    return this.#findResponseOrThrow(id).response
  }
  /** Changes a response and its summary in the RFQ. */
  changeResponse(id: string, change: Change<RfqResponse, ResponseChanges>): RfqResponse {
    const { channel, record, response } = this.#findResponseOrThrow(id)
    const changed = typeof change === 'function' ? change(response) : merge(response, change)
    if (changed.id !== id) record.deleteResponse(id)
    record.setResponse(changed)
    channel.invalidateRfqs()
    return changed
  }
  removeResponse(id: string): void {
    const { channel, record } = this.#findResponseOrThrow(id)
    record.deleteResponse(id)
    channel.invalidateRfqs()
  }

  #channelOrThrow(ref: ChannelRef): ChannelRecord {
    const channel = this.channel(ref)
    if (!channel) throw new RangeError(`The sandbox has no channel ${channelKey(ref)}; add it with addChannel.`)
    return channel
  }
  #findChannel(matches: (channel: ChannelRecord) => boolean, what: string): ChannelRecord {
    const channel = this.channels.find(matches)
    if (!channel) throw new RangeError(`The sandbox has no ${what}.`)
    return channel
  }
  #findRfqOrThrow(rfqId: string, ref?: ChannelRef): RfqLocation {
    const found = this.findRfq(rfqId, ref)
    if (!found) throw new RangeError(`The sandbox has no RFQ ${rfqId}.`)
    return found
  }
  #findResponseOrThrow(id: string): RfqLocation & { response: RfqResponse } {
    for (const channel of this.#channels.values()) {
      for (const record of channel.rfqs) {
        const response = record.response(id)
        if (response) return { channel, record, response }
      }
    }
    throw new RangeError(`The sandbox has no response ${id}.`)
  }
  /** The channel's listings with these ids; if there are none, its first three, or a new one. */
  #listingsFor(channel: ChannelRecord, ids: readonly string[] = []): Listing[] {
    const known = ids.flatMap((id) => channel.listing(id) ?? [])
    const first = channel.listings.slice(0, 3)
    return known.length > 0 ? known : first.length > 0 ? first : [this.#listing(channel)]
  }
  /** The channel's listing with this id; if there is none, its first listing, or a new one. */
  #listing(channel: ChannelRecord, id = ''): Listing {
    return channel.listing(id) ?? channel.listings[0] ?? this.addListing(channel)
  }
}

const apply = <T extends object>(document: T, change: Change<T>): T =>
  typeof change === 'function' ? change(document) : { ...document, ...change }

const merge = (response: RfqResponse, { offer, ...changes }: ResponseChanges): RfqResponse => ({
  ...response,
  ...changes,
  offer: { ...response.offer, ...offer },
})
