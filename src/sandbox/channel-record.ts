import type { ChannelRef } from '../domain/channel.js'
import type { Theme } from './catalogue.js'
import type { Listing } from './document-types.js'
import type { RfqRecord } from './rfq-record.js'

/** A channel with all it shows. Keeps the JSON of its lists until something changes. */
export class ChannelRecord implements ChannelRef {
  readonly org: string
  readonly channel: string
  readonly theme: Theme
  readonly #listings = new Map<string, Listing>()
  readonly #rfqs = new Map<string, RfqRecord>()
  /** Listings ever made and RFQs ever made: names and numbers go on from here. */
  readonly made: { listings: number; rfqs: number }
  #rfqsBody: Buffer | undefined
  #listingTexts: { head: string; url: string }[] | undefined
  #reads = 0

  constructor(options: ChannelRef & { theme: Theme; made?: { listings: number; rfqs: number } }) {
    this.org = options.org
    this.channel = options.channel
    this.theme = options.theme
    this.made = { listings: 0, rfqs: 0, ...options.made }
  }

  get listings(): Listing[] {
    return [...this.#listings.values()]
  }
  get rfqs(): RfqRecord[] {
    return [...this.#rfqs.values()]
  }
  listing(id: string): Listing | undefined {
    return this.#listings.get(id)
  }
  rfq(id: string): RfqRecord | undefined {
    return this.#rfqs.get(id)
  }

  setListing(listing: Listing): void {
    this.#listings.set(listing.id, listing)
    this.#listingTexts = undefined
  }
  deleteListing(id: string): void {
    this.#listings.delete(id)
    this.#listingTexts = undefined
  }
  setRfq(record: RfqRecord): void {
    this.#rfqs.set(record.terms.id, record)
    this.#rfqsBody = undefined
  }
  deleteRfq(id: string): void {
    this.#rfqs.delete(id)
    this.#rfqsBody = undefined
  }
  /** Says that an RFQ or a response to it changed. */
  rfqChanged(): void {
    this.#rfqsBody = undefined
  }

  /** Operation 2 as JSON. */
  rfqsBody(): Buffer {
    this.#rfqsBody ??= Buffer.from(`{"items":[${this.rfqs.map((record) => record.listText()).join(',')}]}`)
    return this.#rfqsBody
  }

  /**
   * Operation 1 as JSON. As with the real one, the address of the documentation is signed anew at each read.
   * @param now epoch milliseconds
   */
  listingsBody(now: number): Buffer {
    this.#listingTexts ??= this.listings.map(split)
    const expires = Math.floor(now / 1000) + 3600
    const signature = `${(this.#reads++).toString(36)}${expires.toString(36)}`
    const items = this.#listingTexts.map(({ head, url }) => (url === '' ? head : sign(head, url, expires, signature)))
    return Buffer.from(`{"items":[${items.join(',')}]}`)
  }
}

/** The listing's JSON up to its documentation, and the address to sign; all of it where there is none to sign. */
function split(listing: Listing): { head: string; url: string } {
  const { additionalDocumentation, ...rest } = listing
  const url = additionalDocumentation?.url
  if (typeof url !== 'string' || url === '') return { head: JSON.stringify(listing), url: '' }
  return { head: `${JSON.stringify(rest).slice(0, -1)},"additionalDocumentation":`, url }
}

function sign(head: string, url: string, expires: number, signature: string): string {
  return `${head}${JSON.stringify({ url: `${url}?expires=${expires}&signature=${signature}`, expires })}}`
}
