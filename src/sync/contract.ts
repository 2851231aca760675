import type { Clock } from '../domain/clock.js'
import type { ChannelSession } from '../marketplace/contract.js'
import type { History, Recorder, RunRecord, Runs } from '../store/contract.js'

/** What a poll works with; everything is handed in. */
export interface PollContext {
  session: ChannelSession
  store: Runs & Recorder & History
  now: Clock
  /** Stops the poll between two documents; what was kept stays. */
  signal?: AbortSignal
  /** A person says that a list which lost most of what it had is right. */
  acceptLoss?: boolean
  onProgress?: (progress: { done: number; total: number }) => void
}

export interface PollRfqsOptions {
  /** Read everything again, whatever is known. */
  full?: boolean
  recheckClosedHours: number
  /** RFQs read at once. */
  concurrency: number
}

/** How a poll ended: the run as recorded, and each failure by name. */
export interface PollResult {
  run: RunRecord
  failures: { id: string; message: string }[]
  /** What changed, for those who tell of it. */
  changes: { kind: 'listing' | 'rfq' | 'response'; id: string; change: 'inserted' | 'changed' | 'missing' }[]
}
