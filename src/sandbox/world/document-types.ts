import type { z } from 'zod'
import type {
  listingDocument,
  responseDocument,
  responseSummary,
  rfqDocument,
  rfqListDocument,
} from '../../core/documents/documents.js'

/** The documents the sandbox serves, in the documented shapes. */
export type Listing = z.input<typeof listingDocument>
/** An RFQ as an item of the list. */
export type ListedRfq = z.input<typeof rfqListDocument>
/** An RFQ as read by its id. */
export type Rfq = z.input<typeof rfqDocument>
/** An RFQ without its responses. */
export type RfqTerms = Omit<Rfq, 'responses'>
export type ResponseSummary = z.input<typeof responseSummary>
export type RfqResponse = z.input<typeof responseDocument>
export type Offer = RfqResponse['offer']
export type ScheduledDelivery = Offer['scheduledDeliveries'][number]
export type Vintage = ScheduledDelivery['vintages'][number]
export type Review = NonNullable<Offer['review']>
