/** What planning the requests of a poll takes and gives (docs/POLLING.md). */
import type { RequestRates } from '../domain/records.js'
import type { ResponsePollState, RfqPollState } from '../store/contract.js'
import type { ListedRfq } from './selection.js'

/** Why a document is read, the most valuable first (docs/POLLING.md). */
export const READ_REASONS = ['never read', 'changed', 'due soon', 'summary changed', 'age', 'open'] as const
export type ReadReason = (typeof READ_REASONS)[number]

/** An RFQ of the list, as far as planning needs it. */
export interface PlannableRfq extends ListedRfq {
  /** Identifiers of its responses; null if the list does not say. */
  responseIds: readonly string[] | null
  /** The end of its response due date; null if it has none. */
  dueAt: Date | null
}

export interface PlanRules {
  /** A response is read again before its last full read is older; 0: at every poll. */
  offersMaxAgeMinutes: number
  /** Everything of an RFQ due within this time, before or after, is read at every poll. */
  urgentHours: number
  recheckClosedHours: number
}

export interface PlanInput {
  listed: readonly PlannableRfq[]
  known: ReadonlyMap<string, RfqPollState>
  /** The stored responses of each RFQ, by identifier. */
  responses: ReadonlyMap<string, ReadonlyMap<string, ResponsePollState>>
  /** Requests for RFQs and responses until the next poll. */
  budget: number
  /** As `budget`, of a poll that has a whole interval. */
  usualBudget: number
  now: Date
  nextPollAt: Date
  /** From that poll to the one after it, in milliseconds. */
  intervalMs: number
  rules: PlanRules
}

/** An RFQ to read, or to leave to the next poll, with those of its responses that are due to be read. */
export interface PlannedRfq {
  id: string
  reason: ReadReason
  /** Identifiers of the responses to read. */
  responses: ReadonlySet<string>
  /** Identifiers of responses that should be read too, but are left to the next poll. */
  postponed: ReadonlySet<string>
}

export interface RequestPlan {
  /** In the order in which they are read. */
  reads: PlannedRfq[]
  /** RFQs that are left to the next poll. */
  postponed: PlannedRfq[]
  /** RFQs that need not be read. */
  unchanged: string[]
  /** Requests left for responses whose summaries turn out to have changed. */
  left: number
  rates: RequestRates
}
