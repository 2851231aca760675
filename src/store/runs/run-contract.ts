import type { RequestRates, RunCounts, RunKind, RunOutcome, RunRecord } from '../../core/records.js'
import type { Timestamp } from '../../core/time/clock.js'

export interface RunEnd extends RunCounts {
  outcome: Exclude<RunOutcome, 'interrupted'>
  error: string | null
  /** As in `RunRecord`; default `error`. */
  cause?: string | null
  stop?: RunRecord['stop']
  /** Whether the list may not be whole; null if none was read. */
  suspicious?: boolean | null
  failedItems?: number | null
  postponed?: number
  requestRates?: RequestRates | null
  notBefore?: Date | null
  /** The marketplace does not accept the API key. */
  keyRefused?: boolean
}

export type PollKind = Exclude<RunKind, 'close'>

export interface RunStart {
  channel: string
  kind: RunKind
  now: Date
  /** The time zone that decides whether an offer is late. Default UTC. */
  timeZone?: string
  /** A person started it, not the service. Default false. */
  byHand?: boolean
  /** Identifies this run in the queue of waiting runs of the channel and kind. Default: the run does not wait. */
  ticket?: string
}

export interface Runs extends RunQueries {
  /**
   * Starts a run. Across all processes on this database, a channel has at most one active run of each kind. While one is active, or
   * other runs are ahead in the queue, this appends `ticket` to the queue, or renews it, and rejects with `RunBusyError`. A ticket that is
   * not renewed for ten seconds expires; that of a process that ended on this machine, at once. A run whose process died is first recorded
   * as `interrupted`.
   */
  beginRun(run: RunStart): Promise<RunHandle>
  /** Removes a waiting run from the queue, if it is there. */
  dequeueRun(run: { channel: string; kind: RunKind; ticket: string }): Promise<void>
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
  /** The newest finished run of a channel and kind, optionally with one outcome, or finished by a moment. */
  newestRun(filter: { channel: string; kind: RunKind; outcome?: RunOutcome; asOf?: Date }): Promise<RunRecord | null>
  /** The newest run that read the list of the RFQs of a channel, and whether that list may be taken for whole; null if none did. */
  newestList(channel: string): Promise<{ runId: number; isWhole: boolean } | null>
  /**
   * The newest run that counts as complete, optionally of those finished by a moment. A run counts as complete if at most three documents,
   * or one in a hundred, failed. Otherwise a single RFQ that always fails would keep the service permanently unready.
   */
  newestCompleteRun(filter: { channel: string; kind: RunKind; asOf?: Date | undefined }): Promise<RunRecord | null>
  /** Whether a run that counts as complete had finished by a moment. */
  hadCompleteRun(filter: { channel: string; kind: RunKind; asOf: Date }): Promise<boolean>
  /**
   * When the first poll that did not fail began, or the first poll if all failed. Nothing is known about earlier moments. Null if there was
   * no poll.
   */
  firstPollAt(filter: { channel?: string; kind?: PollKind }): Promise<Timestamp | null>
}

/** The run in which documents are recorded. */
export interface LiveRun {
  readonly id: number
  readonly channel: string
  readonly kind: RunKind
  /** The time zone of the due dates of the channel. */
  readonly timeZone: string
  /** Aborted when another process took over the run because its lease had expired. */
  readonly lost: AbortSignal
}

/** A run, for the process that began it. */
export interface RunHandle extends LiveRun {
  /** Ends the run and releases its lock. */
  finish(end: RunEnd, now: Date): Promise<RunRecord>
}
