import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { canonicalJson } from './canonical-json.js'
import { listingDocument, responseDocument, responseSummary, rfqDocument, rfqListDocument } from './documents.js'
import { type Lenient, type Problem, parseLeniently } from './lenient-parser.js'

export type Listing = Lenient<z.output<typeof listingDocument>>
/** An RFQ as an element of the list; its responses carry `id` and `listingId` only. */
export type RfqListItem = Lenient<z.output<typeof rfqListDocument>>
export type Rfq = Lenient<z.output<typeof rfqDocument>>
export type ResponseSummary = Lenient<z.output<typeof responseSummary>>
export type RfqResponse = Lenient<z.output<typeof responseDocument>>
export type Offer = NonNullable<RfqResponse['offer']>
export type ScheduledDelivery = Offer['scheduledDeliveries'][number]
export type Vintage = ScheduledDelivery['vintages'][number]
export type PrePayment = Offer['prePayments'][number]
export type Review = NonNullable<Offer['review']>

/** A document as it arrived, with what could be made of it. */
export interface Observation<T> {
  /** The identifier, or `unidentified-<hash>` for a document that has none. */
  id: string
  /** The parsed JSON, untouched. */
  body: unknown
  /** What the document says, null for all that is absent or unusable; null when it is no object or has no identifier. */
  document: T | null
  problems: Problem[]
  /** False when a promised value has the wrong type or the identifier is lacking (architecture.md, rule 1). */
  valid: boolean
}

const parserFor =
  <S extends z.ZodType>(schema: S) =>
  (body: unknown): Observation<Lenient<z.output<S>>> => {
    const { value, problems } = parseLeniently(schema, body)
    const id = (value as { id?: string } | null)?.id
    return {
      id: id ?? `unidentified-${createHash('sha256').update(canonicalJson(body)).digest('hex').slice(0, 16)}`,
      body,
      document: value,
      problems,
      valid: id !== undefined && problems.every((problem) => problem.code !== 'type'),
    }
  }

/** Reads a listing. Never throws. Source: marketplace-api.md, Listing. */
export const parseListing = parserFor(listingDocument)
/** Reads an element of the RFQ list. Never throws. Source: marketplace-api.md, RFQ (list shape). */
export const parseRfqListItem = parserFor(rfqListDocument)
/** Reads an RFQ. Never throws. Source: marketplace-api.md, RFQ (single shape). */
export const parseRfq = parserFor(rfqDocument)
/** Reads one summary of a response within an RFQ. Never throws. Source: marketplace-api.md, ResponseSummary. */
export const parseResponseSummary = parserFor(responseSummary)
/** Reads a response. Never throws. Source: marketplace-api.md, RFQ response. */
export const parseResponse = parserFor(responseDocument)
