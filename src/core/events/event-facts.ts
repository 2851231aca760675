import { differences, flatten } from '../documents/document-fields.js'
import type { DocumentShape } from '../documents/documents.js'
import { isPlainObject } from '../documents/exact-json.js'
import { parseStored } from '../documents/observation.js'
import type { FieldChange, OfferFacts, RfqFacts } from './events.js'

/** Longer text of the marketplace is cut in events. */
const MAX_TEXT = 200
/** Changed fields named in an event. */
const MAX_CHANGES = 10

/** A body in the shape that was read. */
export interface ShapedBody {
  body: unknown
  shape: DocumentShape
  /** Of a response, if it is known without parsing the body. */
  submittedAt?: string | null
}

const cut = (text: string | null | undefined): string | null =>
  text == null
    ? null
    : text.length > MAX_TEXT
      ? `${text.slice(0, MAX_TEXT - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
      : text

/** What events say of an RFQ. Never throws. */
export function rfqFacts(id: string, { body, shape }: ShapedBody): RfqFacts {
  // Thousands of responses would take long to parse.
  const { document } = parseStored('rfq', shape, isPlainObject(body) ? { ...body, responses: [] } : body)
  return {
    id,
    number: document?.number ?? null,
    reference: cut(document?.reference),
    title: cut(document?.title),
    state: cut(document?.state),
    responseDueDate: document?.responseDueDate ?? null,
  }
}

/** What events say of an offer. Never throws. */
export function offerFacts(id: string, { body, shape }: ShapedBody): OfferFacts {
  const response = parseStored('response', shape, body)
  const { document } = response
  const terms = response.shape === 'full' ? response.document?.offer : response.document
  return {
    id,
    projectDeveloperName: cut(document?.projectDeveloperName),
    projectName: cut(document?.projectName),
    status: cut(document?.status),
    contractType: cut(terms?.contractType),
    currency: cut(terms?.currency),
    totalVolume: terms?.totalVolume ?? null,
    totalPrice: terms?.totalPrice ?? null,
    submittedAt: cut(document?.submittedAt),
  }
}

/** Members of an RFQ that change with its responses, which have events of their own. */
const OF_RESPONSES = new Set(['responses'])
const UPDATE_TIME = /(^|\.)updatedAt$/

/**
 * The fields in which two versions of a document differ, apart from times of update, the order of listings, and the
 * responses of an RFQ.
 */
export function changedFields(before: unknown, after: unknown): FieldChange[] {
  return differences(fieldsOf(before), fieldsOf(after))
    .filter(({ field }) => !UPDATE_TIME.test(field))
    .map(({ field, before: old, value }) => ({
      field: cut(field) ?? '',
      before: cutValue(old),
      after: cutValue(value),
    }))
}

/** The changes that an event names. */
export const namedChanges = (changes: readonly FieldChange[]): FieldChange[] => changes.slice(0, MAX_CHANGES)

const cutValue = (value: FieldChange['before']) => (typeof value === 'string' ? cut(value) : value)

function fieldsOf(body: unknown) {
  if (!isPlainObject(body)) return flatten(body)
  const own = Object.fromEntries(Object.entries(body).filter(([key]) => !OF_RESPONSES.has(key)))
  const { listingIds } = own
  // The order of listing IDs has no meaning.
  if (Array.isArray(listingIds)) own.listingIds = listingIds.map(String).sort().join(', ')
  return flatten(own)
}
