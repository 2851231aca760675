/**
 * The input of a comparison: values only, read from the store by the caller. Records of src/core/records.ts fit without
 * conversion; stored-documents.ts parses stored documents.
 */

import type { AwardFacts } from '../../core/decision/award-record.js'
import type { CreditClaim } from '../../core/decision/recommendation.js'
import type { Settings } from '../../core/decision/settings.js'
import type { Listing, Rfq, RfqResponse } from '../../core/documents/observation.js'
import type { DecisionRecord, KnownDocument, ProblemRecord } from '../../core/records.js'
import type { Timestamp } from '../../core/time/clock.js'
import type { PricesRead, TermsRead } from '../../core/time/read-times.js'

/** `YYYY-MM-DD`. */
export type CalendarDate = string

/** Whether an RFQ was read, and whether the list shows another entry of it since (docs/POLLING.md, "The list and the RFQ"). */
export type ReadState = 'read' | 'changed-since-read' | 'not-read'

export interface ParsedRfq extends KnownDocument {
  /** `list`: only the list entry could be read. */
  shape: 'full' | 'list'
  document: Rfq | null
  unreadable: Unreadable
  readState: ReadState
}

/** Members that the document states, but with a value of another type or format than documented: `pricing.maxUnitPrice`. */
export type Unreadable = readonly string[]

export interface ParsedResponse extends KnownDocument {
  /** `summary`: only its summary in the RFQ could be read, whose offer has no deliveries. */
  shape: 'full' | 'summary'
  document: RfqResponse | null
  unreadable: Unreadable
}

export interface ParsedListing extends KnownDocument {
  document: Listing | null
}

/** An offer as it was when its review accepted it; its terms are others now. */
export interface ReviewedTerms {
  reviewedAt: Timestamp
  /** First observation of the terms that it has now. */
  changedAt: Timestamp
  document: RfqResponse
}

/** By the id of the offer. */
export type ReviewedOffers = ReadonlyMap<string, ReviewedTerms>

/** A deviation of a document from the API description. */
export type DocumentProblem = Pick<ProblemRecord, 'kind' | 'entityId' | 'path' | 'code' | 'message'>

/** Parameters of a report on an RFQ or a channel. */
export interface ReportParameters {
  /** `org/slug`. */
  channel: string
  /** IANA time zone in which dates are interpreted. */
  timeZone: string
  /** The moment the report describes; later observations are ignored. */
  asOf: Date
  /** When the report is created; for display only. */
  generatedAt: Date
  programVersion: string
  /** Who requested the report, or another cause; for display only. */
  madeBy?: string | undefined
  /** When the terms of the offers were read, unless `asOf` is in the past; for display only. */
  termsRead?: TermsRead | null
  /** When the RFQ with the status and prices of its offers was read; null (the default) if that is not known. */
  pricesRead?: PricesRead | null
  settings: Settings
}

/** One RFQ, as known at `asOf`. The order of the lists does not matter. */
export interface ComparisonInput extends ReportParameters {
  rfq: ParsedRfq
  responses: readonly ParsedResponse[]
  /** Offers whose terms changed since a review accepted them; default none. */
  reviewed?: ReviewedOffers
  /** Those that the RFQ or its responses reference; others are ignored. */
  listings: readonly ParsedListing[]
  /** Those that were known at `asOf`. */
  problems: readonly DocumentProblem[]
  decisions: readonly Pick<DecisionRecord, 'rfqId' | 'decidedAt'>[]
  /** The desk's award that stands at `asOf`; null (the default) if none does. */
  award?: AwardFacts | null
  /** Credits of the listings that are spoken for, in the RFQs of all channels; default none, as of a past moment. */
  claims?: readonly CreditClaim[]
}
