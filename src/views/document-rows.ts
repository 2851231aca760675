/**
 * The rows that commands print with `--json`, with the member names of the marketplace API. Tables show some of their
 * columns.
 */

import { unreadOffersOf } from '../compare/rfq/rfq-terms.js'
import { parseStored } from '../core/documents/observation.js'
import type { KnownDocument, RfqWithResponses } from '../core/records.js'
import { withListMessage } from '../core/sources/source-text.js'
import { listDiffOf } from '../core/sources/sources.js'

/** What Quotekeeper knows about a document besides its content. */
export const observationFields = ({
  version,
  observedAt,
  notBefore,
  firstObservedAt,
  lastObservedAt,
  readAt,
  missingSince,
  valid,
}: KnownDocument) => ({
  version,
  notBefore,
  observedAt,
  firstObservedAt,
  lastObservedAt,
  readAt,
  missingSince,
  valid,
})

/** A row with its document, with every digit. Parses it. */
export const withBody = <Row extends object>(row: Row, { exactBody }: KnownDocument): Row & { body: unknown } => ({
  ...row,
  body: exactBody,
})

export type RfqRow = ReturnType<typeof rfqRow>
export function rfqRow({ rfq, responses }: RfqWithResponses) {
  const { document } = parseStored('rfq', rfq.shape, rfq.body)
  return {
    channel: rfq.channel,
    id: rfq.id,
    number: document?.number ?? null,
    reference: document?.reference ?? null,
    title: document?.title ?? null,
    state: document?.state ?? null,
    responseDueDate: document?.responseDueDate ?? null,
    fulfilmentDueDate: document?.fulfilmentDueDate ?? null,
    minVolume: document?.minVolume ?? null,
    maxVolume: document?.maxVolume ?? null,
    minUnitPrice: document?.pricing?.minUnitPrice ?? null,
    maxUnitPrice: document?.pricing?.maxUnitPrice ?? null,
    currency: document?.pricing?.currency ?? null,
    closedAt: document?.closedAt ?? null,
    offers: responses.filter(({ missingSince }) => missingSince === null).length,
    /** Offers that the list shows of an RFQ that was never read itself. */
    unreadOffers: unreadOffersOf(rfq.shape, document),
    ...observationFields(rfq),
    /** What the list says otherwise; null if nothing. */
    listed: withListMessage(listDiffOf(rfq)),
  }
}

export type ListingRow = ReturnType<typeof listingRow>
export function listingRow(listing: KnownDocument) {
  const document = parseStored('listing', listing.shape, listing.body).document
  return {
    channel: listing.channel,
    id: listing.id,
    projectName: document?.projectName ?? null,
    organizationName: document?.organizationName ?? null,
    country: document?.country ?? null,
    registry: document?.registry ?? null,
    registryId: document?.registryId ?? null,
    currency: document?.pricing?.currency ?? null,
    minUnitPrice: document?.pricing?.minUnitPrice ?? null,
    maxUnitPrice: document?.pricing?.maxUnitPrice ?? null,
    totalAvailableVolume: document?.totalAvailableVolume?.value ?? null,
    ...observationFields(listing),
  }
}
