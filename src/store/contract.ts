import type { Timestamp } from '../domain/clock.js'
import type { IntentState } from '../domain/close-intent.js'
import type { DocumentKind } from '../domain/documents.js'
import type { Problem } from '../domain/lenient-parser.js'
import type {
  Absence,
  DecisionRecord,
  KnownDocument,
  ProblemRecord,
  RfqWithResponses,
  RunCounts,
  RunKind,
  RunOutcome,
  RunRecord,
  Version,
} from '../domain/records.js'

/**
 * What is kept. Asked in batches and answering with promises, so that a store of another make fits behind it.
 * Methods reject with `StoreError` (errors.ts).
 */
export interface Store extends Runs, Recorder, History, Closings {
  /** Absolute path of the database file. */
  readonly path: string
  /** Integrity and size; `ok` false with what is wrong. */
  check(): Promise<{ ok: boolean; message: string; bytes: number; schemaVersion: number }>
  /** Reads every stored document again, after the program learned more of what may come. */
  replay(now: Date): Promise<ReplayReport>
  /** A consistent copy while others go on writing (mode 0600). */
  backup(file: string): Promise<void>
  close(): Promise<void>
}

/** What reading everything again changed. */
export interface ReplayReport {
  /** Versions read. */
  documents: number
  /** Versions that fit now and did not before, and the other way round. */
  nowValid: number
  nowInvalid: number
  problemsGone: number
  problemsNew: number
}

// --- runs -----------------------------------------------------------------------------------------------------------

export interface RunEnd extends RunCounts {
  outcome: Exclude<RunOutcome, 'interrupted'>
  error: string | null
  suspicious?: boolean
  notBefore?: Date | null
}

export interface Runs {
  /**
   * Begins a run: at most one of a kind on a channel at once, in all processes on this database. A run left by a dead
   * process is recorded as `interrupted` first. Rejects with `RunBusyError` while another lives.
   */
  beginRun(run: { channel: string; kind: RunKind; now: Date }): Promise<RunHandle>
  /** Newest first. */
  runs(filter: { channel?: string; kind?: RunKind; limit?: number }): Promise<RunRecord[]>
  /** The newest run with outcome `complete` (or `partial` if `orPartial`) of each channel and kind. */
  newestRun(filter: { channel: string; kind: RunKind; outcome?: RunOutcome }): Promise<RunRecord | null>
}

export interface RunHandle {
  readonly id: number
  readonly channel: string
  readonly kind: RunKind
  /** Aborted when the run was taken over by another process (this one was thought dead). */
  readonly lost: AbortSignal
  /** Ends the run and gives up its lock. */
  finish(end: RunEnd, now: Date): Promise<RunRecord>
}

// --- recording observations -----------------------------------------------------------------------------------------

/** A document as observed, ready to be kept. */
export interface Snapshot {
  id: string
  /** Parsed JSON. */
  body: unknown
  valid: boolean
  problems: readonly Problem[]
}

/** What the list showed of an RFQ, and what its detail said: written together. */
export interface RfqSnapshot {
  rfq: Snapshot
  /** `full`: the single shape; `list`: only the list entry could be had (never known before). */
  shape: 'full' | 'list'
  /** Hash of the list entry, to see later whether it changed. */
  listHash: string | null
  responses: readonly ResponseSnapshot[]
  /** False where the RFQ's `responses` could not be read as a list: then none is marked missing. */
  responsesComplete: boolean
  /** When the first of its requests was sent: nothing in here is older. */
  readAt: Date
}
export interface ResponseSnapshot extends Snapshot {
  /** `full`: operation 4; `summary`: only the summary within the RFQ could be had. */
  shape: 'full' | 'summary'
}

export type UpsertResult = 'inserted' | 'changed' | 'unchanged' | 'stale'

export interface RecordResult {
  rfq: UpsertResult
  /** Version numbers after the write. */
  rfqVersion: number
  rfqHash: string
  responses: { id: string; change: UpsertResult }[]
  /** Responses that the RFQ no longer shows. */
  missing: string[]
}

export interface Recorder {
  /** Keeps listings, in chunks of transactions. Marks nothing missing. */
  recordListings(run: RunHandle, listings: readonly Snapshot[], readAt: Date, now: Date): Promise<UpsertResult[]>
  /** Keeps one RFQ with its responses in one transaction; responses it no longer shows get `missing_since`. */
  recordRfq(run: RunHandle, snapshot: RfqSnapshot, now: Date): Promise<RecordResult>
  /** Says again that these were there unchanged (list entry same, detail not read again). */
  touchRfqs(run: RunHandle, ids: readonly string[], readAt: Date, now: Date): Promise<void>
  /** After a complete list: everything of the kind not in `present` gets `missing_since`, what is back loses it. */
  updatePresence(
    run: RunHandle,
    kind: 'listing' | 'rfq',
    present: readonly string[],
    readAt: Date,
    now: Date,
  ): Promise<{ missing: string[]; returned: string[] }>
  /** Keeps problems that belong to no document (duplicates, unreadable entries). */
  recordProblems(
    run: RunHandle,
    kind: DocumentKind,
    entityId: string,
    problems: readonly Problem[],
    now: Date,
  ): Promise<void>
}

// --- reading --------------------------------------------------------------------------------------------------------

export interface RfqFilter {
  channel?: string
  asOf?: Date
  /** RFQ id, number or reference; all that match. */
  match?: string
  /** Leave out the responses (a list of RFQs needs none). Default false. */
  withoutResponses?: boolean
}

/** What polling needs to know to decide what to read again. */
export interface RfqPollState {
  id: string
  listHash: string | null
  shape: 'full' | 'list'
  state: string | null
  /** When its detail was last read. */
  detailReadAt: Timestamp | null
  /** Some response is known by its summary only. */
  incomplete: boolean
  missingSince: Timestamp | null
}

export interface History {
  rfqStates(channel: string): Promise<RfqPollState[]>
  /** What is there now, missing ones left out: for the rule of mass absence. */
  presentIds(channel: string, kind: 'listing' | 'rfq'): Promise<string[]>
  listings(filter: { channel?: string; asOf?: Date; ids?: readonly string[] }): Promise<KnownDocument[]>
  rfqs(filter: RfqFilter): Promise<RfqWithResponses[]>
  /** Every version of an RFQ and its responses, oldest first; observed not later than asOf. */
  rfqHistory(channel: string, rfqId: string, asOf?: Date): Promise<Version[]>
  absences(channel: string, rfqId: string, asOf?: Date): Promise<Absence[]>
  problems(filter: { channel?: string; entityIds?: readonly string[]; limit?: number }): Promise<ProblemRecord[]>
  /** One snapshot a row, in a stable order, without holding all in memory. */
  export(filter: { kind?: DocumentKind; channel?: string; asOf?: Date }): AsyncIterable<KnownDocument>
}

// --- closing --------------------------------------------------------------------------------------------------------

export type NewDecision = Omit<DecisionRecord, 'id' | 'previousHash' | 'hash'>

/** The intention to close an RFQ, stored before the POST. An RFQ has at most one that is not settled. */
export interface CloseIntent {
  id: number
  channel: string
  rfqId: string
  state: IntentState
  runId: number
  createdAt: Timestamp
  /** When the newest POST was about to be sent. */
  sentAt: Timestamp | null
  /** POSTs sent so far, including one that is being sent. */
  posts: number
  /** The evidence of its evaluation, for the decision that settles it. */
  evidence: Record<string, unknown>
}

/**
 * What closing stores. `markSending` and `settleClose` reject with `StoreError` for a transition that
 * `isIntentTransition` does not allow.
 */
export interface Closings {
  appendDecision(decision: NewDecision): Promise<DecisionRecord>
  /** Newest first. `rfq` is an identifier or a number. */
  decisions(filter: { channel?: string; rfq?: string; limit?: number }): Promise<DecisionRecord[]>
  /** One decision, or null if there is none with this id. */
  decision(id: number): Promise<DecisionRecord | null>
  /** The newest decision about each RFQ of the channel. */
  newestDecisions(channel: string): Promise<DecisionRecord[]>
  /** Verifies the hash chain; `brokenAt` is the id of the first decision that was changed or removed, or null. */
  verifyDecisions(): Promise<{ decisions: number; brokenAt: number | null; message: string }>
  /** Intents that are not settled, oldest first. */
  openIntents(channel: string): Promise<CloseIntent[]>
  /** Rejects with `IntentOpenError` if the RFQ has an open intent, with `RunLostError` if the run was taken over. */
  planClose(intent: {
    channel: string
    rfqId: string
    runId: number
    evidence: Record<string, unknown>
    now: Date
  }): Promise<CloseIntent>
  /** Counts a POST that is about to be sent. Committed to disk before it resolves. */
  markSending(intent: CloseIntent, now: Date): Promise<CloseIntent>
  /** Settles the intent with the outcome of the decision and appends the decision, in one transaction. */
  settleClose(intent: CloseIntent, decision: NewDecision): Promise<DecisionRecord>
  /** Stores which RFQs of a held round may be approved until `expiresAt`; the same RFQs get the same plan. */
  createApprovalPlan(plan: { channel: string; rfqIds: readonly string[]; now: Date; expiresAt: Date }): Promise<string>
  /** Null if the plan does not exist or has expired. */
  findApprovalPlan(planId: string, now: Date): Promise<{ channel: string; rfqIds: string[] } | null>
}
