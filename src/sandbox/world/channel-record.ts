import type { ChannelRef } from '../../core/channel.js'
import type { Theme } from './catalogue.js'
import type { Listing } from './document-types.js'
import type { RfqRecord } from './rfq-record.js'

/** A channel with its listings and RFQs. Caches the JSON of its lists until something changes. */
export class ChannelRecord implements ChannelRef {
  readonly org: string
  readonly channel: string
  readonly theme: Theme
  /** How many listings and RFQs were ever created: names and numbers continue from here. */
  readonly created = { listings: 0, rfqs: 0 }
  readonly #listings = new Map<string, Listing>()
  readonly #rfqs = new Map<string, RfqRecord>()
  #rfqsBody: Buffer | undefined
  #listingParts: ListingParts[] | undefined
  #reads = 0

  constructor(options: ChannelRef & { theme: Theme }) {
    this.org = options.org
    this.channel = options.channel
    this.theme = options.theme
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
    this.#listingParts = undefined
  }
  deleteListing(id: string): void {
    this.#listings.delete(id)
    this.#listingParts = undefined
  }
  setRfq(record: RfqRecord): void {
    this.#rfqs.set(record.terms.id, record)
    this.#rfqsBody = undefined
  }
  deleteRfq(id: string): void {
    this.#rfqs.delete(id)
    this.#rfqsBody = undefined
  }
  /** Drops the cached RFQ list after an RFQ or one of its responses changed. */
  invalidateRfqs(): void {
    this.#rfqsBody = undefined
  }

  /** The RFQ list as JSON. */
  rfqsBody(): Buffer {
    this.#rfqsBody ??= Buffer.from(`{"items":[${this.rfqs.map((record) => record.listJson()).join(',')}]}`)
    return this.#rfqsBody
  }

  /**
   * The listing list as JSON. The documentation URL gets a new signature on each read, as on the real marketplace.
   * @param now epoch milliseconds
   */
  listingsBody(now: number): Buffer {
    this.#listingParts ??= this.listings.map(splitForSigning)
    const expires = Math.floor(now / 1000) + 3600
    const signature = `${(this.#reads++).toString(36)}${expires.toString(36)}`
    const items = this.#listingParts.map(({ head, url }) => (url === '' ? head : sign(head, url, expires, signature)))
    return Buffer.from(`{"items":[${items.join(',')}]}`)
  }
}

/** A listing's JSON up to its documentation, and the URL to sign; all of its JSON if there is no URL. */
interface ListingParts {
  head: string
  url: string
}

function splitForSigning(listing: Listing): ListingParts {
  const { additionalDocumentation, ...rest } = listing
  const url = additionalDocumentation?.url
  if (typeof url !== 'string' || url === '') return { head: JSON.stringify(listing), url: '' }
  return { head: `${JSON.stringify(rest).slice(0, -1)},"additionalDocumentation":`, url }
}

function sign(head: string, url: string, expires: number, signature: string): string {
  return `${head}${JSON.stringify({ url: `${url}?expires=${expires}&signature=${signature}`, expires })}}`
}
