/** Input and output of the request plan of a poll (docs/POLLING.md). */
import type { RequestRates } from '../../core/records.js'
import type { RfqPollState } from '../../store/contract.js'
import type { PollPlanning } from '../contract.js'
import type { StoredResponses } from '../stored-responses.js'

/** Why a document is read, highest priority first (docs/POLLING.md). */
export const READ_REASONS = ['never read', 'changed', 'due soon', 'summary changed', 'age', 'open', 'failed'] as const
export type ReadReason = (typeof READ_REASONS)[number]

/** An RFQ as its list entry shows it. */
export interface ListedRfq {
  id: string
  hash: string
  /** `state` as sent; null if missing or unusable. */
  state: string | null
}

/** The part of a list entry that planning needs. */
export interface PlannableRfq extends ListedRfq {
  /** As returned by `reasonToRead`; null if it need not be read. */
  reasonToRead: string | null
  /** Identifiers of its responses; null if unknown. */
  responseIds: readonly string[] | null
  /** The end of its response due date; null if it has none. */
  dueAt: Date | null
}

export interface PlanInput {
  listed: readonly PlannableRfq[]
  known: ReadonlyMap<string, RfqPollState>
  /** The stored responses of each RFQ, by identifier. */
  responses: ReadonlyMap<string, StoredResponses>
  now: Date
  /** Its budgets include the request for the list. */
  planning: PollPlanning
}

/** An RFQ to read, or to leave to the next poll, with its responses that are due. */
export interface PlannedRfq {
  id: string
  reason: ReadReason
  /** Identifiers of the responses to read. */
  responses: ReadonlySet<string>
  /** Identifiers of due responses that are left to the next poll. */
  postponed: ReadonlySet<string>
}

export interface RequestPlan {
  /** In the order in which they are read. */
  reads: PlannedRfq[]
  /** RFQs that are left to the next poll. */
  postponed: PlannedRfq[]
  /** RFQs that need not be read. */
  unchanged: string[]
  /** Requests that the plan leaves for responses whose summaries turn out to have changed. */
  unused: number
  rates: RequestRates
}
