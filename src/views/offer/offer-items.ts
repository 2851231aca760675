import type { RfqWithResponses } from '../../core/records.js'
import { observationFields } from '../document-rows.js'
import type { RfqView } from '../rfq/rfq-view.js'
import type { OfferItem } from '../schemas/index.js'

/**
 * The offers of a comparison, in its order, with what is known about their documents; without those that were observed after
 * the comparison was computed.
 */
export function offerItems({ channel, rfq, offers }: RfqView, { responses }: RfqWithResponses): OfferItem[] {
  const documents = new Map(responses.map((response) => [response.id, response]))
  return offers.flatMap((offer) => {
    const document = documents.get(offer.id)
    return document === undefined ? [] : [{ channel, rfqId: rfq.id, ...offer, ...observationFields(document) }]
  })
}
