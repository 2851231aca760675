/**
 * Records that the store returns, used by comparison, reports, web pages and commands. docs/DATABASE.md describes the
 * tables behind them.
 */

import type { DocumentKind, DocumentShape, SubjectKind } from './documents/documents.js'
import type { Parsed, Problem } from './documents/lenient-parser.js'
import type { Timestamp } from './time/clock.js'

// --- runs -----------------------------------------------------------------------------------------------------------

export const RUN_KINDS = ['listings', 'rfqs', 'close'] as const
export type RunKind = (typeof RUN_KINDS)[number]
export const RUN_OUTCOMES = ['complete', 'partial', 'failed', 'interrupted'] as const
export type RunOutcome = (typeof RUN_OUTCOMES)[number]
/** Why a closing round closes no further RFQ. */
export const STOP_CODES = ['kill-switch', 'mass-loss', 'max-per-run', 'uncertain-effects', 'channel', 'clock'] as const

/** One poll or closing round of one channel. */
export interface RunRecord {
  id: number
  channel: string
  kind: RunKind
  startedAt: Timestamp
  finishedAt: Timestamp | null
  /** Null while it runs. */
  outcome: RunOutcome | null
  requests: number
  seen: number
  inserted: number
  changed: number
  unchanged: number
  missing: number
  invalid: number
  error: string | null
  /** `error` without the RFQs that a closing round leaves to a person. */
  cause: string | null
  /** Why a closing round closed nothing more; null if nothing stopped it. */
  stop: {
    code: (typeof STOP_CODES)[number]
    /** What the comparison of the clocks found, if that is why: `the marketplace's clock is 3599 s behind ours (limit 60 s)`. */
    clocks: string | null
  } | null
  /** A list may not be whole: nothing was marked missing, and closing is blocked. */
  suspicious: boolean
  /** RFQs that failed in a run that otherwise did everything; null if it was cut short. */
  failedItems: number | null
  /** Earliest start of the next run of this channel and kind (a Retry-After longer than a run waits), or null. */
  notBefore: Timestamp | null
  /** Documents that it should have read again, but left to the next poll because the request budget was exceeded. */
  postponed: number
  /** The request rates needed and allowed (docs/POLLING.md); null if it planned none. */
  requestRates: RequestRates | null
}

/** Requests per second that polling a channel needs so that nothing exceeds its maximum age, and that it may send. */
export interface RequestRates {
  required: number
  allowed: number
}

// --- observations ---------------------------------------------------------------------------------------------------

/** A version of a document. */
export interface Version {
  channel: string
  kind: DocumentKind
  id: string
  /** The RFQ a response belongs to; null for listings and RFQs. */
  rfqId: string | null
  /** 1, 2, … */
  version: number
  contentHash: string
  /** Last observation that still showed the previous version; null for a first version. */
  notBefore: Timestamp | null
  /** First observation that showed this version. */
  observedAt: Timestamp
  /** First observation that showed the next version; null for the newest. */
  supersededAt: Timestamp | null
  runId: number
  /** False if a value has the wrong type or the identifier is absent. */
  valid: boolean
  shape: DocumentShape
  /** Parsed JSON. */
  body: unknown
  /** The text as received. */
  bodyText: string
}

/** The version of a document that was current at some moment, with what else was known of the document then. */
export interface KnownDocument extends Version {
  firstObservedAt: Timestamp
  /** Null as of a past moment: later observations change it, but a result as of a past moment must never change. */
  lastObservedAt: Timestamp | null
  /**
   * When the request that last read the document itself, not only its summary, was sent. Null if none did, and as of a past
   * moment.
   */
  readAt: Timestamp | null
  /** When it was first absent from its list, or null while it is listed. */
  missingSince: Timestamp | null
  /** Of an RFQ: its entry in the newest list; null if that does not have it, and of other documents. */
  entry: {
    /** Whether the run that recorded it, or a later one, read the RFQ itself. */
    isRead: boolean
    /** Parsed JSON; an array of several different entries with the identifier of the RFQ. */
    body: unknown
  } | null
  /** What parsing its body gave, if it was read just now: it has no body then. */
  parsed?: Parsed<unknown> | undefined
}

/** An RFQ with its responses, all from one consistent state. */
export interface RfqWithResponses {
  rfq: KnownDocument
  responses: KnownDocument[]
}

/** A deviation of a document from the API description, counted over all observations. */
export interface ProblemRecord extends Problem {
  channel: string
  kind: SubjectKind
  entityId: string
  firstSeenAt: Timestamp
  lastSeenAt: Timestamp
  times: number
}

// --- closing --------------------------------------------------------------------------------------------------------

/** `blocked`: waits for an operator's approval. */
export const DECISION_KINDS = ['close', 'would-close', 'keep', 'blocked'] as const
export const CLOSE_OUTCOMES = ['closed', 'already-closed', 'refused', 'failed', 'unknown'] as const
export type CloseOutcome = (typeof CLOSE_OUTCOMES)[number]

/** The result of evaluating one RFQ for closing, with its evidence, as an entry of the hash-chained log. */
export interface DecisionRecord {
  id: number
  runId: number
  channel: string
  rfqId: string
  rfqNumber: number | null
  dueDate: string | null
  timeZone: string
  decidedAt: Timestamp
  decision: (typeof DECISION_KINDS)[number]
  /** A sentence for people. */
  reason: string
  outcome: CloseOutcome | null
  httpStatus: number | null
  message: string | null
  versionBefore: number | null
  versionAfter: number | null
  /** All other input to the decision: clock, skew, grace, hash read, reasons for and against, request and reply. */
  evidence: Record<string, unknown>
  /** Hash of the previous entry. */
  previousHash: string
  /** Hash of this entry. */
  hash: string
  /** The person who approved it with `--approve` or `--retry`, as in the evidence. */
  approvedBy: string | null
  /** Number of consecutive rounds that made this decision. */
  times: number
  /** When the newest of these rounds came to it; null if there was only one. */
  repeatedUntil: Timestamp | null
}

/** An RFQ whose newest close was refused, had no certain effect, or is not settled (docs/CLOSING.md, rule 12). */
export interface UnsettledClose {
  channel: string
  rfqId: string
  rfqNumber: number | null
  /** `open`: a close intent that is not settled. */
  outcome: 'refused' | 'unknown' | 'failed' | 'open'
  /** `open`, while a closing round of the channel runs: it is about to be settled. */
  inProgress: boolean
  since: Timestamp
  /** The decision with this outcome; null for an open intent. */
  decisionId: number | null
  reason: string
  /** What to do about it. */
  remedy: string
}

// --- reports --------------------------------------------------------------------------------------------------------

/** A report that was written to the report folder. */
export interface ReportRecord {
  /** `acme_forest/rfq-1042_asof-20260131T1200Z.xlsx`: relative to the report folder, with `/`. */
  name: string
  channel: string
  /** Null for the overview of a channel. */
  rfqId: string | null
  asOf: Timestamp
  madeAt: Timestamp
  /** Who requested it, or another cause. */
  madeBy: string | null
  /** Of the file, in lower-case hexadecimal digits. */
  sha256: string
  bytes: number
}
