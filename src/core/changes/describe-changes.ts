import { flatten } from '../documents/document-fields.js'
import type { DocumentShape } from '../documents/documents.js'
import { comparableId } from '../documents/identifier.js'
import { formatAmount, truncate } from '../text/number-format.js'
import type { Timestamp } from '../time/clock.js'
import { type Clause, compareDocuments, type Fields, type Sentence } from './document-difference.js'
import { describeNewOffer, describeOfferChanges } from './offer-changes.js'
import { describeRest } from './other-fields.js'
import { describeNewRfq, describeRfqChanges } from './rfq-changes.js'

/** The maximum number of sentences about one version; further fields are only counted. */
export const MAX_SENTENCES = 30
const MAX_LENGTH = 600
/** The maximum number of fields that are listed beyond that. */
const MAX_MORE_FIELDS = 500

/** What a version says, in the shape that was read. */
export interface DescribedDocument {
  kind: 'rfq' | 'response'
  shape: DocumentShape
  fields: Fields
}

interface Context {
  /** When the later version was observed: its year is left out of dates. */
  observedAt: Timestamp
  /** Who closed the RFQ in this version, such as `Quotekeeper`. Default: not known. */
  closedBy?: string | null
}

/** The terms that a summary has among its own members. */
const TERMS = new Set(['contractType', 'currency', 'totalVolume', 'totalPrice', 'expiryDate'])
const UPDATE_TIME = /(^|\.)updatedAt$/

/**
 * The fields of a version: of an RFQ without its responses, which have their own history; of a summary in the form of a response.
 * @param body may be of any type
 */
export function describedDocument(kind: 'rfq' | 'response', shape: DocumentShape, body: unknown): DescribedDocument {
  if (kind === 'rfq') return { kind, shape, fields: rfqFields(body) }
  const fields = flatten(body)
  if (shape === 'full') return { kind, shape, fields }
  return {
    ...{ kind, shape },
    fields: new Map([...fields].map(([field, value]) => [TERMS.has(field) ? `offer.${field}` : field, value])),
  }
}

function rfqFields(body: unknown): Fields {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return flatten(body)
  const { responses: _responses, ...own } = body as Record<string, unknown>
  // The order of listing IDs has no meaning.
  const { listingIds } = own
  if (Array.isArray(listingIds) && listingIds.every((id) => typeof id === 'string'))
    own.listingIds = listingIds.map(comparableId).sort().join(', ')
  return flatten(own)
}

/**
 * The differences of two versions as a buyer would write them, the most important first; empty if nothing differs. If one of them is only a
 * summary, the fields that both have are compared.
 */
export function describeChanges(
  before: DescribedDocument,
  after: DescribedDocument,
  { observedAt, closedBy = null }: Context,
): Sentence[] {
  const { kind } = after
  const difference = compareDocuments(...comparableFields(before, after), observedAt.slice(0, 4))
  const updates = difference.takeAll(UPDATE_TIME)
  const rules = kind === 'rfq' ? describeRfqChanges(difference, closedBy) : describeOfferChanges(difference)
  const clauses = mergeEqual([...rules, ...describeRest(difference)])
  if (clauses.length === 0 && updates.length > 0)
    clauses.push({ message: 'Updated without another difference', fields: updates })
  const shown = clauses.slice(0, MAX_SENTENCES)
  const more = clauses.slice(MAX_SENTENCES).flatMap(({ fields }) => fields)
  if (more.length > 0)
    shown.push({
      message: `${formatAmount(more.length)} more ${more.length === 1 ? 'field' : 'fields'} changed`,
      fields: more.slice(0, MAX_MORE_FIELDS),
    })
  return shown.map(toSentence)
}

/** Fields whose names differ only by signs have one sentence. */
function mergeEqual(clauses: readonly Clause[]): Clause[] {
  const merged = new Map<string, Clause>()
  for (const clause of clauses) {
    const known = merged.get(clause.message)
    if (known === undefined) merged.set(clause.message, clause)
    else known.fields.push(...clause.fields)
  }
  return [...merged.values()]
}

const toSentence = ({ event = 'changed', message, fields }: Clause): Sentence => ({
  event,
  message: sentence(message),
  fields,
})

/** With a full stop, and shortened: numbers can have hundreds of digits. */
const sentence = (text: string) =>
  text.length > MAX_LENGTH ? truncate(text, MAX_LENGTH) : /[.!?]”$/.test(text) ? text : `${text}.`

/** What is first known of an RFQ or an offer: `Submitted 13 Mar: 8,670 t at 28.80 USD/t.` */
export function describeNewDocument({ kind, fields }: DescribedDocument, observedAt: Timestamp): string {
  const describe = kind === 'rfq' ? describeNewRfq : describeNewOffer
  return sentence(describe(fields, observedAt.slice(0, 4)))
}

function comparableFields(before: DescribedDocument, after: DescribedDocument): [Fields, Fields] {
  const [old, now] = [before.fields, after.fields]
  if (before.shape === after.shape) return [old, now]
  return [new Map([...old].filter(([field]) => now.has(field))), new Map([...now].filter(([field]) => old.has(field)))]
}
