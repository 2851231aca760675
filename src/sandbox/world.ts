import { type ChannelRef, channelKey } from '../domain/channel.js'
import type { Clock } from '../domain/clock.js'
import { calendarDate, DAY, daysAfter, timestamp } from './calendar-dates.js'
import type { Theme } from './catalogue.js'
import { ChannelRecord } from './channel-record.js'
import type { Listing, Offer, Rfq, RfqResponse, RfqTerms } from './document-types.js'
import { Agenda } from './event-schedule.js'
import { makeListing } from './listing-generator.js'
import { makeResponse } from './response-generator.js'
import { makeRfq } from './rfq-generator.js'
import { RfqRecord } from './rfq-record.js'
import { Dice } from './seeded-random.js'

/** Changes to a response; those of the offer may be partial. */
export type ResponseChanges = Partial<Omit<RfqResponse, 'offer'>> & { offer?: Partial<Offer> }
/** Either what is different, or a function from the document to what it becomes. */
export type Change<T, Patch = Partial<T>> = Patch | ((document: T) => T)

/** Where an RFQ is kept. */
export interface Found {
  channel: ChannelRecord
  record: RfqRecord
}

/**
 * All that the marketplace knows. Every change goes through a method here, so that lists, single shapes and summaries
 * agree, and whoever saves the world hears of it.
 */
export class World {
  readonly dice: Dice
  /** What will happen by itself when time passes. */
  readonly agenda = new Agenda()
  readonly #channels = new Map<string, ChannelRecord>()
  readonly #keys = new Map<string, Set<string>>()
  readonly #listeners = new Set<() => void>()
  #reached: Date
  #clock: Clock | null = null

  constructor(options: { seed: number; now: Date }) {
    this.dice = new Dice(options.seed)
    this.#reached = new Date(options.now)
  }

  get seed(): number {
    return this.dice.seed
  }

  // --- time ---------------------------------------------------------------------------------------------------------

  /** The present of the marketplace: its clock, or the moment up to which things have happened if it has none. */
  now(): Date {
    return this.#clock?.() ?? this.#reached
  }
  /** Up to when what was due to happen has happened. */
  get reached(): Date {
    return this.#reached
  }
  /** Hands in a clock; null takes it away. */
  setClock(clock: Clock | null): void {
    this.#clock = clock
  }
  /**
   * Says that everything due up to a moment has happened (events.ts does). That alone is no change to save: from an
   * earlier moment the same would happen again.
   */
  setReached(moment: Date): void {
    this.#reached = new Date(moment)
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
  /** Adds a channel, empty. An existing one of that name is replaced. */
  addChannel(ref: ChannelRef & { theme?: Theme; made?: { listings: number; rfqs: number } }): ChannelRecord {
    const channel = new ChannelRecord({ theme: 'any', ...ref })
    this.#channels.set(channelKey(ref), channel)
    this.#changed()
    return channel
  }
  /** Lets a key open an organization. Keys are never saved. */
  addKey(org: string, apiKey: string): void {
    const orgs = this.#keys.get(apiKey) ?? new Set()
    this.#keys.set(apiKey, orgs.add(org))
  }
  /** Takes all keys of an organization away. */
  revokeKeys(org: string): void {
    for (const [key, orgs] of this.#keys) if (orgs.delete(org) && orgs.size === 0) this.#keys.delete(key)
  }
  /** The organizations a key opens; undefined for a key nobody knows. */
  opens(apiKey: string): ReadonlySet<string> | undefined {
    return this.#keys.get(apiKey)
  }
  /** One key of each organization. */
  get keys(): Record<string, string> {
    const keys: Record<string, string> = {}
    for (const [key, orgs] of this.#keys) for (const org of orgs) keys[org] ??= key
    return keys
  }

  // --- listings -----------------------------------------------------------------------------------------------------

  /** Adds a listing; what is not given is drawn. */
  addListing(ref: ChannelRef, given: Partial<Listing> = {}): Listing {
    const channel = this.#channelOrThrow(ref)
    const name = `${channelKey(ref)}/listing/${++channel.made.listings}`
    const made = makeListing(this.dice, { name, theme: channel.theme, now: this.now().getTime() })
    const listing = { ...made, ...given }
    channel.setListing(listing)
    this.#changed()
    return listing
  }
  changeListing(id: string, change: Change<Listing>): Listing {
    const channel = this.#channelWith((each) => each.listing(id) !== undefined, `listing ${id}`)
    const listing = apply(channel.listing(id) as Listing, change)
    channel.setListing(listing)
    this.#changed()
    return listing
  }
  removeListing(id: string): void {
    this.#channelWith((each) => each.listing(id) !== undefined, `listing ${id}`).deleteListing(id)
    this.#changed()
  }

  // --- RFQs ---------------------------------------------------------------------------------------------------------

  /**
   * Adds an open RFQ, due in ten days; what is not given is drawn. Nothing happens to it by itself unless it is
   * announced to the agenda.
   */
  addRfq(ref: ChannelRef, given: Partial<RfqTerms> & { responses?: readonly RfqResponse[] } = {}): Rfq {
    const channel = this.#channelOrThrow(ref)
    const made = ++channel.made.rfqs
    const now = this.now().getTime()
    const drawn = makeRfq(this.dice, {
      name: `${channelKey(ref)}/rfq/${made}`,
      number: 1000 + made,
      listings: this.#listingsFor(channel, given.listingIds),
      openedAt: now - DAY,
      responseDueDate: given.responseDueDate ?? daysAfter(calendarDate(now), 10),
    })
    const { responses = [], ...terms } = given
    return this.putRfq(channel, new RfqRecord({ ...drawn, ...terms }, responses)).singleShape()
  }
  /** Puts a finished record into a channel. */
  putRfq(channel: ChannelRecord, record: RfqRecord): RfqRecord {
    channel.setRfq(record)
    this.#changed()
    return record
  }
  /** The RFQ in its single shape. Throws where there is none. */
  rfq(id: string): Rfq {
    return this.#found(id).record.singleShape()
  }
  /** Finds an RFQ in a channel, or in any. */
  findRfq(id: string, ref?: ChannelRef): Found | undefined {
    for (const channel of this.#channels.values()) {
      const record = !ref || channelKey(ref) === channelKey(channel) ? channel.rfq(id) : undefined
      if (record) return { channel, record }
    }
    return undefined
  }
  /** Changes an RFQ, in a channel or the first that has it. `updatedAt` becomes the present unless the change differs. */
  changeRfq(id: string, change: Change<RfqTerms>, ref?: ChannelRef): Rfq {
    const { channel, record } = this.#found(id, ref)
    const updated = { ...record.terms, updatedAt: timestamp(this.now()) }
    record.setTerms(apply(updated, change))
    if (record.terms.id !== id) {
      channel.deleteRfq(id)
      channel.setRfq(record)
    }
    this.#rfqChanged(channel)
    return record.singleShape()
  }
  /** Closes an RFQ, as operation 5 does: state, `closedAt` and `updatedAt`. Its responses stay as they are. */
  closeRfq(id: string, ref?: ChannelRef): Rfq {
    const closedAt = timestamp(this.now())
    return this.changeRfq(id, { state: 'closed', closedAt, updatedAt: closedAt }, ref)
  }
  removeRfq(id: string, ref?: ChannelRef): void {
    this.#found(id, ref).channel.deleteRfq(id)
    this.#changed()
  }

  // --- responses ----------------------------------------------------------------------------------------------------

  /** Adds a response, submitted now; what is not given is drawn. */
  addResponse(rfqId: string, given: ResponseChanges = {}): RfqResponse {
    const { channel, record } = this.#found(rfqId)
    const drawn = this.drawResponse(channel, record, this.now().getTime(), given.listingId)
    return this.putResponse({ channel, record }, merge(drawn, given))
  }
  /** Puts a finished response to an RFQ. */
  putResponse({ channel, record }: Found, response: RfqResponse): RfqResponse {
    record.setResponse(response)
    this.#rfqChanged(channel)
    return response
  }
  /** A response that a developer could give; it is not added. */
  drawResponse(channel: ChannelRecord, record: RfqRecord, submittedAt: number, listingId?: string): RfqResponse {
    const made = record.made++
    const asked = record.terms.listingIds
    const listing = this.#listing(channel, listingId ?? asked[made % asked.length])
    return makeResponse(this.dice, {
      name: `${record.terms.id}/response/${made}`,
      rfq: record.terms,
      listing,
      submittedAt,
    })
  }
  response(id: string): RfqResponse {
    return this.#foundResponse(id).response
  }
  /** Changes a response; the summary in its RFQ follows. */
  changeResponse(id: string, change: Change<RfqResponse, ResponseChanges>): RfqResponse {
    const { channel, record, response } = this.#foundResponse(id)
    const changed = typeof change === 'function' ? change(response) : merge(response, change)
    if (changed.id !== id) record.deleteResponse(id)
    record.setResponse(changed)
    this.#rfqChanged(channel)
    return changed
  }
  removeResponse(id: string): void {
    const { channel, record } = this.#foundResponse(id)
    record.deleteResponse(id)
    this.#rfqChanged(channel)
  }

  // --- changes ------------------------------------------------------------------------------------------------------

  /** Calls back at every change. Returns what ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
  #rfqChanged(channel: ChannelRecord): void {
    channel.rfqChanged()
    this.#changed()
  }
  #channelOrThrow(ref: ChannelRef): ChannelRecord {
    const channel = this.channel(ref)
    if (!channel) throw new RangeError(`The sandbox has no channel ${channelKey(ref)}; add it with addChannel.`)
    return channel
  }
  #channelWith(holds: (channel: ChannelRecord) => boolean, what: string): ChannelRecord {
    const channel = this.channels.find(holds)
    if (!channel) throw new RangeError(`The sandbox has no ${what}.`)
    return channel
  }
  #found(rfqId: string, ref?: ChannelRef): Found {
    const found = this.findRfq(rfqId, ref)
    if (!found) throw new RangeError(`The sandbox has no RFQ ${rfqId}.`)
    return found
  }
  #foundResponse(id: string): Found & { response: RfqResponse } {
    for (const channel of this.#channels.values()) {
      for (const record of channel.rfqs) {
        const response = record.response(id)
        if (response) return { channel, record, response }
      }
    }
    throw new RangeError(`The sandbox has no response ${id}.`)
  }
  /** The listings of these identifiers that the channel has; its first three if none; at least one. */
  #listingsFor(channel: ChannelRecord, ids: readonly string[] = []): Listing[] {
    const known = ids.flatMap((id) => channel.listing(id) ?? [])
    const first = channel.listings.slice(0, 3)
    return known.length > 0 ? known : first.length > 0 ? first : [this.#listing(channel)]
  }
  /** The listing of this identifier if the channel has it, else its first, else a new one. */
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
