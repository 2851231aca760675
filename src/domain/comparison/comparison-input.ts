/**
 * What the comparison is made from. Values only: the store is read by the caller, who hands them in. The types are
 * structurally those of src/store/contract.ts, so that what the store answers fits without conversion; `known.ts` turns
 * a stored document into the documents wanted here.
 */
import type { Timestamp } from '../clock.js'
import type { DocumentKind } from '../documents.js'
import type { Listing, ResponseSummary, Rfq, RfqResponse } from '../observation.js'
import type { SettingsInput } from './settings.js'

/** `YYYY-MM-DD`. */
export type CalendarDate = string

/** Which version of a document is spoken of, and how it was come by. */
export interface KnownAs {
  id: string
  /** 1, 2, … */
  version: number
  contentHash: string
  /** Last observation that still showed the version before; null for a first version. */
  notBefore: Timestamp | null
  /** First observation that showed this version. */
  observedAt: Timestamp
  /** Since when it is missing from its list, or null. */
  missingSince: Timestamp | null
  runId: number
  /** False: the document did not fit the promised shape. */
  valid: boolean
}

export interface KnownRfq extends KnownAs {
  /** `list`: only the list entry could be had. */
  shape: 'full' | 'list'
  document: Rfq | null
}

export type KnownResponse =
  | (KnownAs & { shape: 'full'; document: RfqResponse | null })
  | (KnownAs & { shape: 'summary'; document: ResponseSummary | null })

export interface KnownListing extends KnownAs {
  document: Listing | null
}

/** A version as it was once known. */
export interface PastVersion {
  kind: DocumentKind
  id: string
  version: number
  notBefore: Timestamp | null
  observedAt: Timestamp
  runId: number
  valid: boolean
  shape: 'full' | 'list' | 'summary'
  body: unknown
}

/** A time during which a document was not shown although its list or RFQ was read. */
export interface PastAbsence {
  kind: DocumentKind
  id: string
  /** Last observation that still showed it. */
  notBefore: Timestamp
  missingSince: Timestamp
  returnedAt: Timestamp | null
}

/** What did not fit the API document. */
export interface DocumentProblem {
  kind: DocumentKind
  entityId: string
  path: string
  code: string
  message: string
  firstSeenAt: Timestamp
}

/** An RFQ weighed for closing. */
export interface CloseDecision {
  id: number
  runId: number
  rfqId: string
  rfqNumber: number | null
  dueDate: string | null
  timeZone: string
  decidedAt: Timestamp
  decision: 'close' | 'would-close' | 'keep' | 'held'
  reason: string
  outcome: 'closed' | 'already-closed' | 'refused' | 'failed' | 'unknown' | null
  httpStatus: number | null
  message: string | null
  versionBefore: number | null
  versionAfter: number | null
}

/** What a report of either sort is told about itself. */
export interface ReportParameters {
  /** `org/slug`. */
  channel: string
  /** IANA zone in whose calendar dates are read; throws RangeError where it is none. */
  timeZone: string
  /** The moment the report speaks of. Everything later is left out. */
  asOf: Date
  /** The moment it is made; used for nothing but to be told. */
  generatedAt: Date
  programVersion: string
  /** What is absent is taken from DEFAULT_SETTINGS; throws ZodError for what settings.ts does not allow. */
  settings?: SettingsInput
}

/** One RFQ, as known at `asOf`. Lists may come in any order: the report does not depend on it. */
export interface ComparisonInput extends ReportParameters {
  rfq: KnownRfq
  /** Asked for once, one after another, and not kept: of many offers no more than one document need be read at a time. */
  responses: Iterable<KnownResponse>
  /** Those the RFQ or its responses name; others do no harm. */
  listings: readonly KnownListing[]
  /** Every version of the RFQ and of its responses. */
  versions: readonly PastVersion[]
  absences: readonly PastAbsence[]
  problems: readonly DocumentProblem[]
  decisions: readonly CloseDecision[]
  /** The reader's own award: tonnes by response id. Absent: that of the scenario `best-score`. */
  ownAward?: Readonly<Record<string, number>>
}

/** A channel, as known at `asOf`. */
export interface ChannelInput extends ReportParameters {
  rfqs: readonly Pick<ComparisonInput, 'rfq' | 'responses'>[]
  listings: readonly KnownListing[]
  decisions: readonly CloseDecision[]
  problems: readonly DocumentProblem[]
}
