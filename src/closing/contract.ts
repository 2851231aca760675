import type { DecisionRecord, RunRecord, UnsettledClose } from '../core/records.js'
import type { ChannelSession } from '../marketplace/contract.js'
import type { Closings, History, PollStates, Recorder, Runs } from '../store/contract.js'
import type { ItemFailure, RunContext } from '../store/runs/with-run.js'
import type { KillSwitch } from './kill-switch.js'

/** A signal stops the round before the next RFQ. */
export interface ClosingContext extends Omit<RunContext, 'timeZone'> {
  session: ChannelSession
  store: Runs & Recorder & PollStates & History & Closings
  /** Called before each POST: the reason closing is stopped, or null (docs/CLOSING.md, rule 10). */
  killSwitch: KillSwitch
  /** Called with each decision once it is recorded. */
  onDecision?: (decision: DecisionRecord) => void
  /** Waits; a parameter so that tests need not wait. */
  pause: (milliseconds: number) => Promise<void>
}

export interface ClosingPolicy {
  mode: 'on' | 'dry-run'
  /** IANA time zone in which the response due date is interpreted. */
  timeZone: string
  graceHours: number
  maxPerRun: number
  maxClockSkewSeconds: number
  /** An approval plan: the round is not too large if exactly its RFQs qualify. */
  approvedPlan?: string
  /**
   * Identifiers of RFQs to close although an earlier close was refused or is uncertain: this round closes these only,
   * whatever their number, and decides nothing about the others.
   */
  retry?: readonly string[]
  /**
   * Identifiers of RFQs: of those that qualify, this round closes only these, and decides nothing about the others. All that
   * qualify still count towards `maxPerRun`.
   */
  only?: readonly string[]
  /** The person who decided on `approvedPlan` or `retry`. */
  approvedBy?: string
  /** A person started the round. Recorded in the evidence only. */
  byHand?: boolean
  /** Who started it, and where, if that is known. Recorded in the evidence only. */
  startedBy?: string
}

export interface ClosingResult {
  run: RunRecord
  decisions: DecisionRecord[]
  /** The approval plan if the round is blocked because of its size. */
  approvalPlan: string | null
  failures: ItemFailure[]
  /** Why no further RFQ was closed, or null. */
  stopReason: string | null
  /** Closes on the channel that are not settled, from this round and from earlier ones. */
  unsettled: UnsettledClose[]
  counts: RoundCounts
}

/** Numbers of RFQs, including those whose decision repeats an earlier one. */
export interface RoundCounts {
  closed: number
  alreadyClosed: number
  wouldClose: number
  blocked: number
}
