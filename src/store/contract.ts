import type { Timestamp } from '../domain/clock.js'
import type { Problem } from '../domain/conform.js'
import type { Kind } from '../domain/observed.js'

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

export type RunKind = 'listings' | 'rfqs' | 'close'
export type RunOutcome = 'complete' | 'partial' | 'failed' | 'interrupted'

export interface RunCounts {
  requests: number
  seen: number
  inserted: number
  changed: number
  unchanged: number
  missing: number
  invalid: number
}

export interface RunRecord extends RunCounts {
  id: number
  channel: string
  kind: RunKind
  startedAt: Timestamp
  finishedAt: Timestamp | null
  /** null while it runs. */
  outcome: RunOutcome | null
  error: string | null
  /** A list lost most of what it had: nothing was marked missing, and closing is held. */
  suspicious: boolean
  /** No run of this channel and kind should begin before (Retry-After beyond what a run may wait), or null. */
  notBefore: Timestamp | null
}

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

export type Change = 'inserted' | 'changed' | 'unchanged' | 'stale'

export interface Recorded {
  rfq: Change
  /** Version numbers after the write. */
  rfqVersion: number
  rfqHash: string
  responses: { id: string; change: Change }[]
  /** Responses that the RFQ no longer shows. */
  missing: string[]
}

export interface Recorder {
  /** Keeps listings, in chunks of transactions. Marks nothing missing. */
  recordListings(run: RunHandle, listings: readonly Snapshot[], readAt: Date, now: Date): Promise<Change[]>
  /** Keeps one RFQ with its responses in one transaction; responses it no longer shows get `missing_since`. */
  recordRfq(run: RunHandle, snapshot: RfqSnapshot, now: Date): Promise<Recorded>
  /** Says again that these were there unchanged (list entry same, detail not read again). */
  touchRfqs(run: RunHandle, ids: readonly string[], readAt: Date, now: Date): Promise<void>
  /** After a complete list: everything of the kind not in `present` gets `missing_since`, what is back loses it. */
  markAbsent(
    run: RunHandle,
    kind: 'listing' | 'rfq',
    present: readonly string[],
    readAt: Date,
    now: Date,
  ): Promise<{ missing: string[]; returned: string[] }>
  /** Keeps problems that belong to no document (duplicates, unreadable entries). */
  recordProblems(run: RunHandle, kind: Kind, entityId: string, problems: readonly Problem[], now: Date): Promise<void>
}

// --- reading --------------------------------------------------------------------------------------------------------

/** A version of a document, as it was known. */
export interface Version {
  channel: string
  kind: Kind
  id: string
  /** The RFQ a response belongs to, else null. */
  rfqId: string | null
  version: number
  contentHash: string
  /** Last observation that still showed the version before; null for a first version. */
  notBefore: Timestamp | null
  observedAt: Timestamp
  supersededAt: Timestamp | null
  runId: number
  valid: boolean
  shape: 'full' | 'list' | 'summary'
  body: unknown
}

/** A version with what else was known of its document at the moment asked about. */
export interface Known extends Version {
  firstObservedAt: Timestamp
  /** Null where the past was asked for: later observations would change it, and the past does not change. */
  lastObservedAt: Timestamp | null
  /** Since when it is missing from its list, or null. */
  missingSince: Timestamp | null
}

/** An RFQ with its responses from one state. */
export interface KnownRfq {
  rfq: Known
  responses: Known[]
}

export interface RfqFilter {
  channel?: string
  asOf?: Date
  /** RFQ id, number or reference; all that match. */
  match?: string
  /** Leave out the responses (a list of RFQs needs none). Default false. */
  withoutResponses?: boolean
}

export interface ProblemRecord extends Problem {
  channel: string
  kind: Kind
  entityId: string
  firstSeenAt: Timestamp
  lastSeenAt: Timestamp
  times: number
}

/** What polling needs to know to decide what to read again. */
export interface RfqState {
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
  rfqStates(channel: string): Promise<RfqState[]>
  /** What is there now, missing ones left out: for the rule of mass absence. */
  presentIds(channel: string, kind: 'listing' | 'rfq'): Promise<string[]>
  listings(filter: { channel?: string; asOf?: Date; ids?: readonly string[] }): Promise<Known[]>
  rfqs(filter: RfqFilter): Promise<KnownRfq[]>
  /** Every version of an RFQ and its responses, oldest first; observed not later than asOf. */
  rfqHistory(channel: string, rfqId: string, asOf?: Date): Promise<Version[]>
  absences(channel: string, rfqId: string, asOf?: Date): Promise<Absence[]>
  problems(filter: { channel?: string; entityIds?: readonly string[]; limit?: number }): Promise<ProblemRecord[]>
  /** One snapshot a row, in a stable order, without holding all in memory. */
  export(filter: { kind?: Kind; channel?: string; asOf?: Date }): AsyncIterable<Known>
}

/** A time during which a document was not shown although its list or RFQ was read. */
export interface Absence {
  kind: Kind
  id: string
  /** Last observation that still showed it. */
  notBefore: Timestamp
  missingSince: Timestamp
  returnedAt: Timestamp | null
}

// --- closing --------------------------------------------------------------------------------------------------------

export type Verdict = 'close' | 'would-close' | 'keep' | 'held'
export type CloseOutcome = 'closed' | 'already-closed' | 'refused' | 'failed' | 'unknown'

export interface DecisionRecord {
  id: number
  runId: number
  channel: string
  rfqId: string
  rfqNumber: number | null
  dueDate: string | null
  timeZone: string
  decidedAt: Timestamp
  decision: Verdict
  /** In words. */
  reason: string
  outcome: CloseOutcome | null
  httpStatus: number | null
  message: string | null
  versionBefore: number | null
  versionAfter: number | null
  /** Everything else that was weighed: clock, skew, grace, hash read, reasons for and against, request and answer. */
  evidence: Record<string, unknown>
  /** Hash of the decision before, and of this one: the log is a chain. */
  previousHash: string
  hash: string
}
export type NewDecision = Omit<DecisionRecord, 'id' | 'previousHash' | 'hash'>

/** planned → sending → closed | already-closed | refused | failed | unknown; one open intent an RFQ. */
export type IntentState = 'planned' | 'sending' | CloseOutcome
export interface CloseIntent {
  id: number
  channel: string
  rfqId: string
  state: IntentState
  runId: number
  createdAt: Timestamp
  /** When the newest POST was about to be sent. */
  sentAt: Timestamp | null
  /** POSTs begun so far. */
  posts: number
  /** What was weighed, for the decision that settles it. */
  evidence: Record<string, unknown>
}

export interface Closings {
  appendDecision(decision: NewDecision): Promise<DecisionRecord>
  decisions(filter: { channel?: string; rfq?: string; limit?: number }): Promise<DecisionRecord[]>
  /** One decision, or null where there is none of this id. */
  decision(id: number): Promise<DecisionRecord | null>
  /** The newest decision on each RFQ of the channel. */
  newestDecisions(channel: string): Promise<DecisionRecord[]>
  /** Walks the chain; the id of the first decision that was tampered with, or null. */
  verifyDecisions(): Promise<{ decisions: number; brokenAt: number | null; message: string }>
  openIntents(channel: string): Promise<CloseIntent[]>
  /** Rejects with `IntentOpenError` where the RFQ has an open one, with `RunLostError` where the run was taken over. */
  planClose(intent: {
    channel: string
    rfqId: string
    runId: number
    evidence: Record<string, unknown>
    now: Date
  }): Promise<CloseIntent>
  /** Committed to the disk before it resolves; counts a POST. */
  markSending(intent: CloseIntent, now: Date): Promise<CloseIntent>
  /** Settles the intent and appends its decision, together. */
  settleClose(intent: CloseIntent, decision: NewDecision): Promise<DecisionRecord>
  /** Keeps a round held for its size: exactly these RFQs may be approved until it expires. */
  createApprovalPlan(plan: { channel: string; rfqIds: readonly string[]; now: Date; expiresAt: Date }): Promise<string>
  findApprovalPlan(planId: string, now: Date): Promise<{ channel: string; rfqIds: string[] } | null>
}
