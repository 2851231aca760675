import { type Change, compareDocuments, type ReadBody } from '../changes/compare-documents.js'
import { describeChanges } from '../changes/describe-changes.js'
import { isPlainObject } from '../documents/json-text.js'
import { parseStored } from '../documents/observation.js'
import { truncate } from '../text/clean-text.js'
import type { Timestamp } from '../time/clock.js'
import type { EventData, FieldChange, OfferFacts, RfqFacts } from './events.js'

/** Longer text of the marketplace is cut in events. */
const MAX_TEXT = 200
/** Changed fields, and sentences, in an event. */
const MAX_CHANGES = 10

export interface ShapedBody extends ReadBody {
  /** Of a response, if it is known without parsing the body. */
  submittedAt?: string | null
}

const cut = (text: string | null | undefined): string | null => (text == null ? null : truncate(text, MAX_TEXT))

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

/** How two versions of a document differ. */
interface DocumentChange {
  changes: Change[]
  /** The first changed fields, and sentences about all; @param closedBy who closed the RFQ, such as `Quotekeeper` */
  describe: (observedAt: Timestamp, closedBy?: string | null) => Pick<EventData, 'changes' | 'messages'>
}

/** Compares two versions of the same shape. */
export function compareVersions(before: ReadBody, after: ReadBody): DocumentChange {
  const changes = compareDocuments(before, after)
  return {
    changes,
    describe: (observedAt, closedBy = null) => ({
      changes: changes.slice(0, MAX_CHANGES).map(({ field, before: old, after: now }) => ({
        field: cut(field) ?? '',
        before: cutValue(old),
        after: cutValue(now),
      })),
      messages: describeChanges(before, after, observedAt, closedBy).slice(0, MAX_CHANGES),
    }),
  }
}

const cutValue = (value: unknown) =>
  typeof value === 'string' || (typeof value === 'object' && value !== null)
    ? cut(typeof value === 'string' ? value : JSON.stringify(value))
    : (value as FieldChange['before'])
