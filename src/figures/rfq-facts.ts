import type { ReadState } from '../compare/input/comparison-input.js'
import { readStateOf } from '../compare/input/stored-documents.js'
import { unreadOffersOf } from '../compare/rfq/rfq-terms.js'
import { parseStored, type Rfq, type RfqListItem } from '../core/documents/observation.js'
import { plausibleOrNull } from '../core/numbers.js'
import type { KnownDocument } from '../core/records.js'
import { searchTextOf } from '../core/text/search-words.js'

/** The data of an RFQ's document that lists show. */
export interface RfqFacts {
  number: number | null
  reference: string | null
  title: string | null
  state: string | null
  responseDueDate: string | null
  fulfilmentDueDate: string | null
  minVolume: number | null
  maxVolume: number | null
  minUnitPrice: number | null
  maxUnitPrice: number | null
  currency: string | null
  /** The number of offers in the list entry of an RFQ that was never read itself. */
  unreadOffers: number
  readState: ReadState
}

/** The text that is searched, in lower case: names of the RFQ and its channel, of developers and projects. */
export const searchText = (
  { number, reference, title, channel }: Pick<RfqFacts, 'number' | 'reference' | 'title'> & { channel: string },
  offers: readonly { developer: string | null; project: string | null }[] = [],
): string =>
  searchTextOf(number, reference, title, channel, ...new Set(offers.flatMap((each) => [each.developer, each.project])))

/**
 * What a list shows of a stored RFQ.
 * @param document as parsed, if it was
 */
export function factsOf(
  { body, shape, entry }: Pick<KnownDocument, 'body' | 'shape' | 'entry'>,
  document: Rfq | RfqListItem | null = parseStored('rfq', shape, body).document,
): RfqFacts {
  return {
    number: plausibleOrNull(document?.number),
    reference: document?.reference ?? null,
    title: document?.title ?? null,
    state: document?.state ?? null,
    responseDueDate: document?.responseDueDate ?? null,
    fulfilmentDueDate: document?.fulfilmentDueDate ?? null,
    minVolume: plausibleOrNull(document?.minVolume),
    maxVolume: plausibleOrNull(document?.maxVolume),
    minUnitPrice: plausibleOrNull(document?.pricing?.minUnitPrice),
    maxUnitPrice: plausibleOrNull(document?.pricing?.maxUnitPrice),
    currency: document?.pricing?.currency ?? null,
    unreadOffers: unreadOffersOf(shape, document),
    readState: readStateOf({ shape, entry }),
  }
}

/** The facts of an invalid document. */
export const NO_FACTS = factsOf({ body: null, shape: 'list', entry: null })
