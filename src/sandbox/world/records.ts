import type { z } from 'zod'
import type { ChannelRef } from '../../core/channel.js'
import type { SCHEMAS } from '../../core/documents/documents.js'

/** The subject of a channel; determines which project types it lists. */
export type Theme = 'forest' | 'blue' | 'removal' | 'any'
/** The documents the sandbox serves, in the documented shapes. */
export type Listing = z.input<(typeof SCHEMAS)['listing']>
export type Rfq = z.input<(typeof SCHEMAS)['rfq']>
/** An RFQ without its responses. */
export type RfqTerms = Omit<Rfq, 'responses'>
export type RfqResponse = z.input<(typeof SCHEMAS)['response']>
export type Offer = RfqResponse['offer']

/** An RFQ with its responses. List shape, single shape and response documents all come from here, so they agree. */
export class RfqRecord {
  /** How many responses were ever created: their names continue from here. */
  created: number
  constructor(
    public terms: RfqTerms,
    public responses: RfqResponse[] = [],
  ) {
    this.created = responses.length
  }

  response(id: string): RfqResponse | undefined {
    return this.responses.find((response) => response.id === id)
  }
  /** Replaces the response with this id, or adds one. */
  setResponse(response: RfqResponse, id: string = response.id): void {
    const index = this.responses.findIndex((each) => each.id === id)
    if (index < 0) this.responses.push(response)
    else this.responses[index] = response
  }
  /** The RFQ as an item of the list. */
  listShape(): z.input<(typeof SCHEMAS)['rfq-entry']> {
    return { ...this.terms, responses: this.responses.map(({ id, listingId }) => ({ id, listingId })) }
  }
  /** The RFQ as read by its id, with summaries of its responses. */
  singleShape(): Rfq {
    return { ...this.terms, responses: this.responses.map(summarize) }
  }
}

/** The summary of a response in its RFQ. A test may have removed the offer; the other members are still shown. */
function summarize({ offer, ...response }: RfqResponse): z.input<(typeof SCHEMAS)['summary']> {
  const { totalVolume, currency, totalPrice, expiryDate, contractType } = offer ?? ({} as Offer)
  const { id, listingId, projectDeveloperName, projectName, status, submittedAt } = response
  return {
    ...{ id, listingId, projectDeveloperName, projectName, status },
    ...{ totalVolume, currency, totalPrice, expiryDate, submittedAt, contractType },
  }
}

/** A channel with its listings and RFQs. */
export class Channel implements ChannelRef {
  readonly org: string
  readonly channel: string
  readonly theme: Theme
  readonly listings: Listing[] = []
  /** How many listings and RFQs were ever created: names and numbers continue from here. */
  readonly created = { listings: 0, rfqs: 0 }
  readonly #rfqs = new Map<string, RfqRecord>()
  #reads = 0

  constructor({ org, channel, theme = 'any' }: ChannelRef & { theme?: Theme }) {
    this.org = org
    this.channel = channel
    this.theme = theme
  }
  get rfqs(): RfqRecord[] {
    return [...this.#rfqs.values()]
  }
  rfq(id: string): RfqRecord | undefined {
    return this.#rfqs.get(id)
  }
  addRfq(record: RfqRecord): RfqRecord {
    this.#rfqs.set(record.terms.id, record)
    return record
  }
  removeRfq(id: string): void {
    this.#rfqs.delete(id)
  }
  /** The listings. The URL of the documentation gets a new signature on each read, as on the real marketplace. */
  signedListings(now: Date): Listing[] {
    const expires = Math.floor(now.getTime() / 1000) + 3600
    const signature = `${(this.#reads++).toString(36)}${expires.toString(36)}`
    return this.listings.map((listing) => {
      const url = listing.additionalDocumentation?.url
      if (!url) return listing
      const signed = { url: `${url}?expires=${expires}&signature=${signature}`, expires }
      return { ...listing, additionalDocumentation: signed }
    })
  }
}

/** An event that will happen when the world's time reaches it. */
export interface PlannedEvent {
  /** Epoch milliseconds. */
  at: number
  kind: 'open-rfq' | 'turn' | 'amend' | 'decide' | 'reprice'
  channel: Channel
  /** The RFQ concerned; empty for events of the channel. */
  rfqId: string
  /** How many events of this kind came before; part of the name that seeds the event's random values. */
  n: number
}
