import type { IntentState } from '../../core/close-intent.js'
import type {
  ApprovalPlan,
  CloseOutcome,
  DecisionListing,
  DecisionRecord,
  ListedDecision,
  UnsettledClose,
} from '../../core/records.js'
import type { Timestamp } from '../../core/time/clock.js'
import type { LiveRun } from '../runs/run-contract.js'

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
  /** When the first byte of the newest POST was sent; null if that is not known. */
  sentAt: Timestamp | null
  /** POSTs sent so far, including one that may be on its way. */
  posts: number
  /** The evidence of its evaluation, for the decision that settles it. */
  evidence: Record<string, unknown>
}

/** Whether the documents that decisions are based on are stored as they were. */
export interface DecidedDocuments {
  /** Documents that the evidence of decisions has hashes of. */
  total: number
  /** Those whose version is not stored any more, or only in a state that was recorded after the decision. */
  unchecked: number
  /** Those that are stored with another content. */
  changed: { decision: number; channel: string; rfqId: string; rfqNumber: number | null; version: number }[]
}

/** A person's order to close nothing. */
export interface ClosingStop {
  by: string
  reason: string
  since: Timestamp
  /** The orders in force that it replaced, oldest first; absent if there were none. */
  replaces?: Omit<ClosingStop, 'replaces'>[]
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
  /** Some decisions without their evidence, and how many match. */
  listDecisions(listing: DecisionListing): Promise<{ rows: ListedDecision[]; total: number }>
  /** The newest close that succeeded of each RFQ of the channel that was closed since a moment; oldest first. */
  closedSince(filter: { channel: string; since: Date }): Promise<ListedDecision[]>
  /** One decision, or null if there is none with this id. */
  decision(id: number): Promise<DecisionRecord | null>
  /** The newest decision about each RFQ of the channel, or of those with an identifier of a list. */
  newestDecisions(channel: string, rfqIds?: readonly string[]): Promise<DecisionRecord[]>
  /** The newest decision with an outcome on the channel, or null. */
  lastClose(channel: string): Promise<DecisionRecord | null>
  /** The same of decisions with an outcome: what the last close of each RFQ led to. */
  latestCloseReplies(channel: string, rfqIds?: readonly string[]): Promise<DecisionRecord[]>
  /**
   * RFQs that need a person: the newest close was refused, is unknown or failed, or its intent is open; oldest first.
   * An RFQ that is closed, missing, or due again only later is not among them (docs/CLOSING.md, rule 12). `endingRun`: a closing round
   * that does no more, so that it does not count as in progress.
   */
  unsettledCloses(filter: { channel?: string; now: Date; endingRun?: number }): Promise<UnsettledClose[]>
  /** Rounds that were held because of their size and not approved since; expired plans are not among them. */
  pendingPlans(filter: { channel?: string; now: Date }): Promise<ApprovalPlan[]>
  /**
   * The RFQs of a channel that are not closed, without those that are due on a date or later (YYYY-MM-DD, default all): also missing
   * ones, and those whose state or due date is not known.
   */
  unclosedRfqs(filter: { channel: string; dueBefore?: string }): Promise<string[]>
  /** How many intents of each RFQ were sent after a moment. */
  sentIntents(channel: string, after: Date): Promise<Map<string, number>>
  /** The id of the newest decision; 0 if there is none. */
  chainLength(): Promise<number>
  /** The entry of the hash chain with this id; 0 is the beginning, before the first decision. Null if there is none. */
  chainEntry(id: number): Promise<{ decidedAt: Timestamp | null; hash: string } | null>
  /** Verifies the hash chain; `brokenAt` is the id of the first decision that was changed or removed, or null. */
  verifyDecisions(): Promise<{ decisions: number; brokenAt: number | null; message: string }>
  /** Compares the documents that decisions are based on, and that verifying reads showed, with the stored versions, by their hashes. */
  verifyDecidedDocuments(): Promise<DecidedDocuments>
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
  /**
   * Counts a POST that is about to be sent, at most two per intent. Committed to disk before it resolves. Rejects with `RunLostError`
   * if the run was taken over.
   */
  markSending(intent: CloseIntent, run: LiveRun): Promise<CloseIntent>
  /** Records when the first byte of the POST was sent that `markSending` counted. */
  recordSent(intent: CloseIntent, sentAt: Date): Promise<CloseIntent>
  /** Takes back what `markSending` counted, because nothing was sent. An intent without any POST ends as `failed`, without a decision. */
  withdrawSending(intent: CloseIntent, now: Date): Promise<void>
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
  /** Whether a person stopped all closing, or null. */
  closingStop(): Promise<ClosingStop | null>
  /**
   * Stops all closing, in every process on the database. An order that is in force is replaced, and kept with the new one. Recorded as
   * an event.
   * @returns the order
   */
  stopClosing(order: { by: string; reason: string; now: Date }): Promise<ClosingStop>
  /** Ends the order, which is recorded as an event. @returns the one that was ended, or null */
  resumeClosing(end: { by: string; now: Date }): Promise<ClosingStop | null>
  /** The newest round of the channel was not held because of its size: its plans are no longer waiting. */
  supersedePlans(channel: string, now: Date): Promise<void>
}
