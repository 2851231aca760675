import type { Timestamp } from '../domain/clock.js'
import type { IntentState } from '../domain/close-intent.js'
import type { DocumentKind } from '../domain/documents.js'
import type { Problem } from '../domain/lenient-parser.js'
import type {
  Absence,
  CloseOutcome,
  DecisionRecord,
  HeldPlan,
  KnownDocument,
  OfferRevisions,
  ProblemRecord,
  RequestRates,
  Revision,
  RfqEntry,
  RfqWithResponses,
  RunCounts,
  RunKind,
  RunOutcome,
  RunRecord,
  UnsettledClose,
  Version,
} from '../domain/records.js'
import type { RequestLedger } from '../domain/request-ledger.js'
import type { Validators } from '../domain/validators.js'
import type { Outbox } from './outbox-contract.js'

/**
 * The store (docs/DATABASE.md). Methods work in batches and return promises, so that another database can implement them.
 * They reject with `StoreError` (errors.ts).
 */
export interface Store extends Runs, Recorder, History, Overview, Closings, MaintenanceLog, Pruning, Outbox {
  /** Absolute path of the database file. */
  readonly path: string
  /** A UUID that identifies the database. Its copies and backups have the same one. */
  identity(): Promise<string>
  /**
   * The ledger in which all processes on this database share the request limits of a marketplace.
   * @param origin scheme, host and port of the marketplace
   */
  requestLedger(origin: string): RequestLedger
  /** Checks the integrity of the database; `message` describes the damage if `ok` is false. `freeBytes` of the file are not used. */
  check(): Promise<{ ok: boolean; message: string; bytes: number; freeBytes: number; schemaVersion: number }>
  /** Tests the write path: a small file in the folder, the free space, a write transaction that is rolled back. */
  checkWritable(): Promise<{ ok: boolean; message: string }>
  /** Parses every stored version again, after the schemas changed, and updates `valid` and the problems. */
  revalidate(now: Date): Promise<RevalidationReport>
  /** Makes a consistent copy (mode 0600) while others continue to write. */
  backup(file: string, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Queries of the store on a connection of their own that cannot write, so that they wait for no transaction. */
export interface Reader
  extends RunQueries,
    History,
    Overview,
    Pick<
      Closings,
      | 'decisions'
      | 'decision'
      | 'newestDecisions'
      | 'lastClose'
      | 'closeAnswers'
      | 'unsettledCloses'
      | 'heldPlans'
      | 'openIntents'
      | 'sentIntents'
    >,
    Pick<Outbox, 'targetStates' | 'deliveries' | 'deadLetters'>,
    Monitoring {
  close(): Promise<void>
}

/** Changes made by `revalidate`. */
export interface RevalidationReport {
  /** Versions parsed. */
  documents: number
  /** Versions that became valid, and that became invalid. */
  nowValid: number
  nowInvalid: number
  problemsGone: number
  problemsNew: number
}

/** `anchor`: the head of the decision log is written outside; `prune`: idle runs are folded. */
export type MaintenanceTask = 'anchor' | 'prune'

/** When a maintenance task last ran. */
export interface MaintenanceState {
  succeededAt: Timestamp | null
  attemptedAt: Timestamp
  /** Failed attempts since it last succeeded. */
  failures: number
  /** Of the newest attempt; null if it succeeded or is running for the first time. */
  error: string | null
}

export interface MaintenanceLog {
  /** Null if the task never ran. */
  maintenanceState(task: MaintenanceTask): Promise<MaintenanceState | null>
  /**
   * Records the beginning of a task, so that no other process runs it at the same time.
   * @param isDue decides within the transaction whether to run it
   * @returns whether to run it
   */
  beginMaintenance(
    task: MaintenanceTask,
    now: Date,
    isDue: (state: MaintenanceState | null) => boolean,
  ): Promise<boolean>
  /** Records the end of a task. */
  endMaintenance(task: MaintenanceTask, now: Date, end: MaintenanceEnd): Promise<void>
}

/** `stopped`: neither succeeded nor failed, because the process was stopped. */
export type MaintenanceEnd = 'succeeded' | 'stopped' | { error: string }

/** What pruning removed, or would remove: rows, and about how many bytes they take in the file. */
export interface PruneReport {
  /** Idle runs, without the rows they were folded into. */
  runs: { rows: number; bytes: number }
  /** Approval plans that expired. */
  plans: { rows: number; bytes: number }
  /** Events with their deliveries. */
  events: { rows: number; bytes: number }
}

export interface Pruning {
  /**
   * Folds runs that found nothing new into one row per day, channel, kind and outcome, and deletes expired approval plans
   * and old events. Versions, absences and decisions stay. Null: nothing of that kind.
   */
  prune(options: {
    /** Runs that began before this day (UTC). */
    foldRunsBefore: Date | null
    /** Plans that expired before. */
    dropPlansBefore: Date | null
    /** Events before, unless they are still to be delivered. */
    dropEventsBefore: Date | null
    /** Only report what would be done. */
    dryRun?: boolean
    signal?: AbortSignal
  }): Promise<PruneReport>
}

// --- runs -----------------------------------------------------------------------------------------------------------

export interface RunEnd extends RunCounts {
  outcome: Exclude<RunOutcome, 'interrupted'>
  error: string | null
  suspicious?: boolean
  failedItems?: number | null
  postponed?: number
  requestRates?: RequestRates | null
  notBefore?: Date | null
  /** The marketplace does not accept the API key. */
  keyRefused?: boolean
}

export type PollKind = Exclude<RunKind, 'close'>

export interface Runs extends RunQueries {
  /**
   * Starts a run. Across all processes on this database, a channel has at most one active run of each kind; while there
   * is one, rejects with `RunBusyError`. A run whose process died is first recorded as `interrupted`.
   * `timeZone` (default UTC) decides whether an offer is late.
   */
  beginRun(run: { channel: string; kind: RunKind; now: Date; timeZone?: string }): Promise<RunHandle>
}

export interface RunQueries {
  /** Newest first. `before`: only those with a smaller id. */
  runs(filter: {
    channel?: string
    kind?: RunKind
    outcome?: RunOutcome
    before?: number
    limit?: number
  }): Promise<RunRecord[]>
  /** The newest finished run of a channel and kind, optionally with one outcome, or of those that finished up to a moment. */
  newestRun(filter: { channel: string; kind: RunKind; outcome?: RunOutcome; asOf?: Date }): Promise<RunRecord | null>
  /**
   * When the first poll that did not fail began, or the first of all if all failed: nothing is known about an earlier
   * moment. Null if there is none.
   */
  firstPollAt(filter: { channel?: string; kind?: PollKind }): Promise<Timestamp | null>
}

export interface RunHandle {
  readonly id: number
  readonly channel: string
  readonly kind: RunKind
  /** In which due dates of the channel are interpreted. */
  readonly timeZone: string
  /** Aborted when another process took over the run because its lease had expired. */
  readonly lost: AbortSignal
  /** Ends the run and releases its lock. */
  finish(end: RunEnd, now: Date): Promise<RunRecord>
}

// --- recording observations -----------------------------------------------------------------------------------------

/** A document with its problems, ready to be stored. */
export interface Snapshot {
  id: string
  /** Parsed JSON. */
  body: unknown
  /** The body without what parsing loses (exact-json.ts). Default: `body`. */
  exactBody?: unknown
  /** The text as received, or null (the default) if only the parsed body is known. */
  text?: string | null
  valid: boolean
  problems: readonly Problem[]
  /** What the marketplace sent with the text; null (the default) if nothing. */
  validators?: Validators | null
  /** Equal for documents that were received with the same bytes; null (the default) if not known. */
  fingerprint?: string | null
  /** Its content hash (domain/canonical-json.ts), if it was calculated before. */
  hash?: string
}

/** An RFQ with its responses, stored in one transaction. */
export interface RfqSnapshot {
  rfq: Snapshot
  /** `list` for an RFQ that could never be read, of which only the list entry is known. */
  shape: 'full' | 'list'
  /** Hash of the list entry, to detect changes at the next poll. */
  listHash: string | null
  responses: readonly ResponseSnapshot[]
  /** Responses that are stored in full and were not read again: their summaries show that they still exist. */
  observed?: readonly ObservedResponse[]
  /** False if `responses` of the RFQ was unusable: then no response is marked missing. */
  responsesComplete: boolean
  /** Just before its first request was sent: all values are at least this recent. */
  readAt: Date
}
export interface ResponseSnapshot extends Snapshot {
  /** `summary` if the response could not be read, and only its summary in the RFQ is known. */
  shape: 'full' | 'summary'
  /** Hash of its summary in the RFQ; null (the default) if unknown. */
  summaryHash?: string | null
  /** False if it was not requested, so that only its summary is known. Default true. */
  requested?: boolean
}
/** A response of which only the summary was read. */
export interface ObservedResponse {
  id: string
  /** Null if unknown: the response is read at the next poll. */
  summaryHash: string | null
}

/** `stale`: a newer observation is already stored, and this one was dropped. */
export type UpsertResult = 'inserted' | 'changed' | 'unchanged' | 'stale'

export interface RecordResult {
  rfq: UpsertResult
  /** Version number after the write. */
  rfqVersion: number
  rfqHash: string
  responses: { id: string; change: UpsertResult }[]
  /** Ids of responses newly marked missing. */
  missing: string[]
}

export interface Recorder {
  /** Stores listings in several transactions. Marks nothing missing. */
  recordListings(run: RunHandle, listings: readonly Snapshot[], readAt: Date, now: Date): Promise<UpsertResult[]>
  /** Stores an RFQ with its responses in one transaction and marks responses that it no longer lists as missing. */
  recordRfq(run: RunHandle, snapshot: RfqSnapshot, now: Date): Promise<RecordResult>
  /** Updates the last observation of RFQs whose list entries are unchanged and which were not read again. */
  touchRfqs(run: RunHandle, ids: readonly string[], readAt: Date, now: Date): Promise<void>
  /** After a complete list: marks documents not in `listedIds` as missing, and clears the mark of those that returned. */
  updatePresence(
    run: RunHandle,
    kind: 'listing' | 'rfq',
    listedIds: readonly string[],
    readAt: Date,
    now: Date,
  ): Promise<{ missing: string[]; returned: string[] }>
}

// --- queries --------------------------------------------------------------------------------------------------------

export interface RfqFilter {
  channel?: string
  asOf?: Date
  /** RFQs that have, or had at any time, this id, number or reference. */
  match?: string
  /** Only RFQs with these ids. */
  ids?: readonly string[]
  /** Omit the responses. Default false. */
  withoutResponses?: boolean
}

/** Stored state from which a poll decides whether to read an RFQ again. */
export interface RfqPollState {
  id: string
  listHash: string | null
  shape: 'full' | 'list'
  state: string | null
  /** When the RFQ itself, not only its list entry, was last read. */
  detailReadAt: Timestamp | null
  /** Some response is known only by its summary, and can be requested. */
  incomplete: boolean
  missingSince: Timestamp | null
  firstObservedAt: Timestamp
  validators: Validators | null
}

/** Stored state from which a poll decides whether to read a response again. */
export interface ResponsePollState {
  rfqId: string
  id: string
  /** When the response itself was last read; null if only its summary is known. */
  readAt: Timestamp | null
  /** When it was last requested, also in vain. */
  requestedAt: Timestamp | null
  /** Hashes of its summary as last observed, and when it was last read; null if unknown. */
  summaryHash: string | null
  readSummaryHash: string | null
  firstObservedAt: Timestamp
  missingSince: Timestamp | null
  validators: Validators | null
}

/** Names a document of a channel. */
export interface StoredDocument {
  channel: string
  kind: 'rfq' | 'response'
  /** Null for an RFQ. */
  rfqId: string | null
  id: string
}

export interface History {
  rfqStates(channel: string): Promise<RfqPollState[]>
  /** The responses of some RFQs. */
  responseStates(channel: string, rfqIds: readonly string[]): Promise<ResponsePollState[]>
  /** The newest text of a document, as received with these validators; null if it is another one. */
  textWithValidators(document: StoredDocument, validators: Validators): Promise<string | null>
  /** Fingerprints of the stored responses of an RFQ, by id, as far as they are known. */
  responseFingerprints(channel: string, rfqId: string): Promise<ReadonlyMap<string, string>>
  /** Ids of documents that are not missing; used to detect a mass loss. */
  presentIds(channel: string, kind: 'listing' | 'rfq'): Promise<string[]>
  listings(filter: { channel?: string; asOf?: Date; ids?: readonly string[] }): Promise<KnownDocument[]>
  rfqs(filter: RfqFilter): Promise<RfqWithResponses[]>
  /** Every version of an RFQ and its responses up to `asOf`, oldest first. */
  rfqHistory(channel: string, rfqId: string, asOf?: Date): Promise<Version[]>
  absences(channel: string, rfqId: string, asOf?: Date): Promise<Absence[]>
  problems(filter: { channel?: string; entityIds?: readonly string[]; limit?: number }): Promise<ProblemRecord[]>
  /** By channel, sorted. @param filter.since counts problems that were first seen after this moment */
  problemCounts(filter: { channel?: string; since: Date }): Promise<ProblemCounts[]>
  /** Streams documents in a stable order. */
  export(filter: { kind?: DocumentKind; channel?: string; asOf?: Date }): AsyncIterable<KnownDocument>
}

export interface ProblemCounts {
  channel: string
  problems: number
  documents: number
  /** First seen after the moment of the filter. */
  fresh: number
  /** When the newest one was first seen. */
  newestAt: string
}

export interface RevisionFilter {
  channel?: string
  /** With `channel`: only this RFQ and its responses. */
  rfqId?: string
  /** Only what was observed later. */
  after?: Date
  /** Only what was observed up to this moment. */
  asOf?: Date
}

/** Queries over all RFQs at once. They read no documents but those they return. */
export interface Overview {
  /** Every RFQ that was known at a moment. */
  rfqEntries(filter: { channel?: string; asOf?: Date }): Promise<RfqEntry[]>
  /** Newest first; those of one moment by RFQ. `before`: only those after this cursor in that order. */
  revisions(filter: RevisionFilter & { before?: string; limit: number }): Promise<Revision[]>
  /** Changes of offers, counted by RFQ. */
  offerRevisions(filter: Omit<RevisionFilter, 'rfqId'> & { after: Date }): Promise<OfferRevisions[]>
}

// --- monitoring ---------------------------------------------------------------------------------------------------

/** RFQs with equal values that decide whether they are due. */
export interface RfqCount {
  state: string | null
  /** `responseDueDate` as received, usually YYYY-MM-DD. */
  dueDate: string | null
  count: number
}

export interface RecordedVersion {
  kind: DocumentKind
  /**
   * How long the change can have been unknown at most: since the last observation that still showed the version before
   * (`versions.not_before`). Null for the first version of a document.
   */
  delaySeconds: number | null
}

export interface Monitoring {
  /**
   * The RFQs of a channel that are not missing, by state and due date. Parses each version once, in small steps, and
   * remembers the result.
   */
  rfqCounts(channel: string): Promise<RfqCount[]>
  /** The versions that a run has recorded. */
  recordedVersions(runId: number): Promise<RecordedVersion[]>
  /** Sizes of the database file and of its write-ahead log, in bytes. */
  fileSizes(): { database: number; wal: number }
}

// --- closing --------------------------------------------------------------------------------------------------------

export type NewDecision = Omit<
  DecisionRecord,
  'id' | 'previousHash' | 'hash' | 'approvedBy' | 'times' | 'repeatedUntil'
>

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
  /** Counts another round that came to the same decision, for each decision (docs/CLOSING.md, rule 9). */
  recordRepeats(decisionIds: readonly number[], now: Date): Promise<void>
  /** Newest first. `asOf`: only those made up to this moment. `before`: only those with a smaller id. */
  decisions(filter: {
    channel?: string
    rfqId?: string
    outcome?: CloseOutcome
    asOf?: Date
    before?: number
    limit?: number
  }): Promise<DecisionRecord[]>
  /** One decision, or null if there is none with this id. */
  decision(id: number): Promise<DecisionRecord | null>
  /** The newest decision about each RFQ of the channel. */
  newestDecisions(channel: string): Promise<DecisionRecord[]>
  /** The newest decision with an outcome on the channel, or null. */
  lastClose(channel: string): Promise<DecisionRecord | null>
  /** The newest decision with an outcome about each RFQ of the channel: what its last close led to. */
  closeAnswers(channel: string): Promise<DecisionRecord[]>
  /**
   * RFQs that need a person: the newest close was refused, is unknown or failed, or its intent is open; oldest first.
   * An RFQ that is closed, missing, or due again only later is not among them (docs/CLOSING.md, rule 12).
   */
  unsettledCloses(filter: { channel?: string; now: Date }): Promise<UnsettledClose[]>
  /** Rounds that were held because of their size and not approved since; expired plans are not among them. */
  heldPlans(filter: { channel?: string; now: Date }): Promise<HeldPlan[]>
  /** How many intents of each RFQ were sent after a moment. */
  sentIntents(channel: string, after: Date): Promise<Map<string, number>>
  /** The id of the newest decision; 0 if there is none. */
  chainLength(): Promise<number>
  /** The entry of the hash chain with this id; 0 is the beginning, before the first decision. Null if there is none. */
  chainEntry(id: number): Promise<{ decidedAt: Timestamp | null; hash: string } | null>
  /** Verifies the hash chain; `brokenAt` is the id of the first decision that was changed or removed, or null. */
  verifyDecisions(): Promise<{ decisions: number; brokenAt: number | null; message: string }>
  /** Intents that are not settled, oldest first. */
  openIntents(channel: string): Promise<CloseIntent[]>
  /**
   * Rejects with `IntentOpenError` if the RFQ has an open intent, with `RunLostError` if the run was taken over, and
   * with `StoreError` if two intents of the RFQ were sent within 24 hours and no person asked for this one.
   */
  planClose(intent: {
    channel: string
    rfqId: string
    runId: number
    evidence: Record<string, unknown>
    /** A person asked for this close: it is not limited to two within 24 hours. */
    requested?: boolean
    now: Date
  }): Promise<CloseIntent>
  /** Counts a POST that is about to be sent, at most two per intent. Committed to disk before it resolves. */
  markSending(intent: CloseIntent, now: Date): Promise<CloseIntent>
  /** Settles the intent with the outcome of the decision and appends the decision, in one transaction. */
  settleClose(intent: CloseIntent, decision: NewDecision): Promise<DecisionRecord>
  /**
   * Stores which RFQs of a held round may be approved until `expiresAt`, in place of the channel's earlier plans. The
   * same RFQs get the same plan, with the new end.
   */
  createApprovalPlan(plan: { channel: string; rfqIds: readonly string[]; now: Date; expiresAt: Date }): Promise<string>
  /** Null if the plan does not exist or has expired. */
  findApprovalPlan(planId: string, now: Date): Promise<{ channel: string; rfqIds: string[] } | null>
  /** Records who approved a plan, and when. */
  approvePlan(planId: string, approval: { by: string; now: Date }): Promise<void>
  /** The newest round of the channel was not held because of its size: its plans are no longer waiting. */
  supersedePlans(channel: string, now: Date): Promise<void>
}
