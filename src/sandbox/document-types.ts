import type { z } from 'zod'
import type {
  listingDocument,
  responseDocument,
  responseSummary,
  rfqDocument,
  rfqListDocument,
} from '../domain/documents.js'

/** What the sandbox serves: the promised shapes, as written on the wire. */
export type Listing = z.input<typeof listingDocument>
/** An RFQ as an element of the list. */
export type ListedRfq = z.input<typeof rfqListDocument>
/** An RFQ as read by its identifier. */
export type Rfq = z.input<typeof rfqDocument>
/** What an RFQ says of itself, without the responses to it. */
export type RfqTerms = Omit<Rfq, 'responses'>
export type ResponseSummary = z.input<typeof responseSummary>
export type RfqResponse = z.input<typeof responseDocument>
export type Offer = RfqResponse['offer']
export type ScheduledDelivery = Offer['scheduledDeliveries'][number]
export type Vintage = ScheduledDelivery['vintages'][number]
export type Review = NonNullable<Offer['review']>
