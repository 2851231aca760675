import type { RunRecord } from '../core/records.js'
import type { ChannelSession } from '../marketplace/contract.js'
import type { Store } from '../store/contract.js'
import type { ItemFailure, RunContext } from '../store/runs/with-run.js'

/** A signal stops the poll before it reads the next RFQ; recorded RFQs stay. */
export interface PollContext extends RunContext {
  session: ChannelSession
  store: Store
  /** Accept a list even if it may not be whole (`--accept-loss`). */
  acceptLoss?: boolean
  onProgress?: (progress: { done: number; total: number }) => void
}

export interface PollRfqsOptions {
  /** Hours after which a closed RFQ is read again; 0: at every poll. */
  recheckClosedHours: number
  /** RFQs read at the same time. */
  concurrency: number
  /** The id of the only RFQ to read after the list; the others are left to the next poll. */
  only?: string
  /** Reads only what the plan says (docs/POLLING.md). Default: every open RFQ with all its responses. */
  planning?: PollPlanning
}

/** Limits and deadlines by which a scheduled poll plans its requests. */
export interface PollPlanning {
  /** Requests that the channel may send until the next poll, including one for the list. */
  budget: number
  /** Requests that the channel may send per second. */
  perSecond: number
  nextPollAt: Date
  /** From that poll to the one after it, in milliseconds. */
  intervalMs: number
  /** Maximum age of a response: it is read again before its last full read is older; 0: at every poll. */
  offersMaxAgeMinutes: number
  /** An RFQ due within this time, before or after, is read with all its responses at every poll. */
  urgentHours: number
}

export interface PollResult {
  run: RunRecord
  failures: ItemFailure[]
}
