import { hash } from 'node:crypto'
import type { z } from 'zod'
import { contentHash, refuseDeep } from './canonical-json.js'
import { type DocumentShape, SCHEMAS, type SentKind } from './documents.js'
import { isUsableIdentifier } from './identifier.js'
import { memberOf } from './json-text.js'
import { type Lenient, type Parsed, type Problem, parseLeniently } from './lenient-parser.js'

export type SentDocument<K extends SentKind> = Lenient<z.output<(typeof SCHEMAS)[K]>>

export type Listing = SentDocument<'listing'>
/** An RFQ as an element of the list; its responses carry `id` and `listingId` only. */
export type RfqListItem = SentDocument<'rfq-entry'>
export type Rfq = SentDocument<'rfq'>
export type ResponseSummary = SentDocument<'summary'>
export type RfqResponse = SentDocument<'response'>
export type Offer = NonNullable<RfqResponse['offer']>
export type ScheduledDelivery = Offer['scheduledDeliveries'][number]
export type Vintage = ScheduledDelivery['vintages'][number]
export type PrePayment = Offer['prePayments'][number]
export type Review = NonNullable<Offer['review']>

/** A document as received and parsed. */
export interface Observation<T> extends Parsed<T> {
  shape: DocumentShape
  /** The identifier, or `unidentified-<hash>`, with its content hash, of a document without a usable one. */
  id: string
  /** As sent, without white space around it. */
  text: string
  /** SHA-256 of the text, 64 hexadecimal digits. */
  hash: string
  /** Of an RFQ that is not `same`, what JSON.parse reads; those of thousands of others would fill the memory (`bodyOf`). */
  body: unknown
  /** The text is the known one: it was not parsed, has no `body` and `document`, and is valid and without problems. */
  same: boolean
  /** Whether the document itself was requested, perhaps in vain. */
  requested: boolean
  /** Of a response that was read with its RFQ: hash of its summary. */
  summaryHash: string | null
  /** How many differing list entries have the identifier; if several, `text` is the array of them. */
  bodies: number
}

/** A response in the summaries of an RFQ. */
export interface ListedResponse {
  id: string
  /** SHA-256 of the text of its summary. */
  summaryHash: string
}

/** A document to be recorded, as it was read, or as a list or an RFQ shows it. */
export type ReadDocument = Observation<unknown>

/** Parses a document. Never throws. */
export const parseDocument = <K extends SentKind>(kind: K, body: unknown): Parsed<SentDocument<K>> =>
  parseLeniently(SCHEMAS[kind], body) as Parsed<SentDocument<K>>

/**
 * A document as it was received, parsed.
 * @param body the text as JSON.parse reads it
 * @throws SyntaxError if the text is not JSON, RangeError if it is nested deeper than documents may be (canonical-json.ts)
 */
export function observe<K extends SentKind>(
  kind: K,
  text: string,
  body: unknown = JSON.parse(text),
): Observation<SentDocument<K>> {
  refuseDeep(body)
  const id = identifierOf(body) ?? `unidentified-${contentHash(body).slice(0, 16)}`
  const parsed = parseDocument(kind, body)
  const problems = text.includes('\ufffd') ? [...parsed.problems, DAMAGED_TEXT] : parsed.problems
  const shape = kind === 'rfq-entry' ? 'list' : kind === 'summary' ? 'summary' : 'full'
  const kept = kind === 'rfq' ? body : undefined
  const [textHash, requested] = [hash('sha256', text), shape === 'full']
  const other = { body: kept, same: false, requested, summaryHash: null, bodies: 1 }
  return { id, shape, text, hash: textHash, ...other, ...parsed, problems }
}

/** What JSON.parse reads of a document that has a text. */
export const bodyOf = ({ body, text }: { body?: unknown; text: string | null }): unknown =>
  body ?? JSON.parse(text as string)

/** A document whose text is the known one, by its hash. */
export const sameText = (id: string, shape: DocumentShape, text: string, textHash: string): Observation<never> => {
  const other = { body: undefined, same: true, requested: shape === 'full', summaryHash: null, bodies: 1 }
  return { id, shape, text, hash: textHash, ...other, document: null, problems: [], valid: true }
}

const DAMAGED_TEXT: Problem = {
  path: '',
  code: 'encoding',
  message: 'the text has U+FFFD, as stored in place of bytes that are not UTF-8',
}

/** The identifier of a document, or null if it has none that can be used. */
export function identifierOf(body: unknown): string | null {
  const id = memberOf(body, 'id')
  return typeof id === 'string' && isUsableIdentifier(id) ? id : null
}
