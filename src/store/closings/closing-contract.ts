import type { IntentState } from '../../core/close-intent.js'
import type { CloseOutcome, DecisionRecord, UnsettledClose } from '../../core/records.js'
import type { Timestamp } from '../../core/time/clock.js'
import type { LiveRun } from '../runs/run-contract.js'
import type { ChainReport } from '../sql/hash-chain.js'

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
  /** POSTs sent so far, including one that may be in flight. */
  posts: number
  /** The evidence for the decision that settles it. */
  evidence: Record<string, unknown>
}

/** An order of a person to stop all closing. */
export interface ClosingStop {
  by: string
  reason: string
  since: Timestamp
  /** The orders that it replaced while they were in force, oldest first; absent if there were none. */
  replaces?: Omit<ClosingStop, 'replaces'>[]
}

/**
 * The stored state of closing. `markSending` and `settleClose` reject with `StoreError` for a transition that `isIntentTransition` does not
 * allow.
 */
export interface Closings {
  appendDecision(decision: NewDecision): Promise<DecisionRecord>
  /** Counts another round with the same decision, for each decision (docs/CLOSING.md, rule 9). */
  recordRepeats(decisionIds: readonly number[], now: Date): Promise<void>
  /** Newest first. `asOf`: only decisions made by this moment. `before`: only those with a smaller id. */
  decisions(filter: {
    channel?: string
    rfqId?: string
    outcome?: CloseOutcome
    asOf?: Date
    before?: number
    limit?: number
  }): Promise<DecisionRecord[]>
  /** The newest successful close of each RFQ of the channel that was closed since a moment; oldest first. */
  closedSince(filter: { channel: string; since: Date }): Promise<DecisionRecord[]>
  /** One decision, or null if there is none with this id. */
  decision(id: number): Promise<DecisionRecord | null>
  /** The newest decision about each RFQ of the channel, or about each RFQ of a list. */
  newestDecisions(channel: string, rfqIds?: readonly string[]): Promise<DecisionRecord[]>
  /** The newest decision with an outcome about each RFQ: the result of its last close. */
  latestCloseReplies(channel: string, rfqIds?: readonly string[]): Promise<DecisionRecord[]>
  /**
   * RFQs that need attention, oldest first: the newest close was refused, is unknown or failed, or its intent is open. RFQs that are closed,
   * missing, or due later now are left out (docs/CLOSING.md, rule 12). `endingRun`: a closing round that is ending and does not count as in
   * progress.
   */
  unsettledCloses(filter: { channel?: string; now: Date; endingRun?: number }): Promise<UnsettledClose[]>
  /**
   * The RFQs of a channel that are not closed, including missing ones, and those whose state or due date is unknown. `dueBefore`
   * (YYYY-MM-DD): without RFQs that are due on this date or later.
   */
  unclosedRfqs(filter: { channel: string; dueBefore?: string }): Promise<string[]>
  /** The number of intents of each RFQ that were sent after a moment. */
  sentIntents(channel: string, after: Date): Promise<Map<string, number>>
  /** The number of the decision or award with this hash; null if there is none. */
  decisionWithHash(hash: string): Promise<number | null>
  /** Verifies the hash chain of closing decisions and awards, with the workbooks and settings of awards. */
  verifyDecisions(): Promise<ChainReport>
  /** The intents that are not settled, oldest first. */
  openIntents(channel: string): Promise<CloseIntent[]>
  /**
   * Stores an intent. Rejects with `IntentOpenError` if the RFQ has an open intent, with `RunLostError` if the run lost the lock, and with
   * `StoreError` if two intents of the RFQ were sent within 24 hours and no person requested this one.
   */
  planClose(intent: {
    run: LiveRun
    rfqId: string
    evidence: Record<string, unknown>
    /** A person requested this close, so that the limit of two within 24 hours does not apply. */
    requested?: boolean
    now: Date
  }): Promise<CloseIntent>
  /**
   * Counts a POST that is about to be sent, at most two per intent. The count is on disk when the promise resolves. Rejects with
   * `RunLostError` if the run lost the lock.
   */
  markSending(intent: CloseIntent, run: LiveRun): Promise<CloseIntent>
  /** Records when the first byte of the counted POST was sent. */
  recordSent(intent: CloseIntent, sentAt: Date): Promise<CloseIntent>
  /** Reverts `markSending` because nothing was sent. An intent without any POST ends as `failed`, without a decision. */
  withdrawSending(intent: CloseIntent, now: Date): Promise<void>
  /** Settles the intent with the outcome of the decision and appends the decision, in one transaction. */
  settleClose(intent: CloseIntent, decision: NewDecision): Promise<DecisionRecord>
  /** The order that stops all closing, or null. */
  closingStop(): Promise<ClosingStop | null>
  /**
   * Stops all closing in every process on the database, and records an event. Replaces an order in force, and keeps it in `replaces`.
   * @param order.restored a backup is being restored: `restoredAt` is this moment
   * @returns the order
   */
  stopClosing(order: { by: string; reason: string; now: Date; restored?: boolean }): Promise<ClosingStop>
  /** When a backup was restored last; closes sent before are not all known. Null if none was. */
  restoredAt(): Promise<Date | null>
  /**
   * Ends the order, and records an event.
   * @returns the order that was ended, or null
   */
  resumeClosing(end: { by: string; now: Date }): Promise<ClosingStop | null>
}
