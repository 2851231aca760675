import type { RequestRates, RunCounts, RunKind, RunOutcome, RunRecord } from '../../core/records.js'
import type { Timestamp } from '../../core/time/clock.js'

export interface RunEnd extends RunCounts {
  outcome: Exclude<RunOutcome, 'interrupted'>
  error: string | null
  /** As in `RunRecord`; default `error`. */
  cause?: string | null
  stop?: RunRecord['stop']
  suspicious?: boolean
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
  /** Decides whether an offer is late. Default UTC. */
  timeZone?: string
  /** A person began it, not the service. Default false. */
  byHand?: boolean
  /** The name of a place in the line of those who wait to begin a run of this channel and kind. */
  turn?: string
}

export interface Runs extends RunQueries {
  /**
   * Starts a run. Across all processes on this database, a channel has at most one active run of each kind; while there
   * is one, or others come first in line, rejects with `RunBusyError`, after giving `turn` a place at the end of the line, or renewing
   * it. A place that is not renewed for ten seconds is lost, one of a process that ended on this machine at once. A run whose process
   * died is first recorded as `interrupted`.
   */
  beginRun(run: RunStart): Promise<RunHandle>
  /**
   * Records that a poll of RFQs has read their list, and whether that suddenly lost most of its entries: known from now on, whatever
   * becomes of the poll. Rejects with `RunLostError` if the run was taken over.
   */
  recordListRead(run: LiveRun, list: { suspicious: boolean }): Promise<void>
  /** Records that the list of a poll of RFQs has arrived, before anything of it is recorded. Rejects with `RunLostError`. */
  recordListArrived(run: LiveRun): Promise<void>
  /** Gives up the place of `turn` in the line, if it has one. */
  leaveLine(place: { channel: string; kind: RunKind; turn: string }): Promise<void>
}

/** A poll of RFQs whose list arrived. */
export interface ListRun extends RunRecord {
  /** False if the poll ended, or its process died, before what the list says was recorded. */
  isListRecorded: boolean
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
  /** The newest poll of the RFQs of a channel that has recorded what its list says, also one that still runs or was interrupted. */
  newestListRead(channel: string, now: Date): Promise<ListRun | null>
  /**
   * The newest run that counts as complete, or of those that finished up to a moment: it is complete, or it read everything but three
   * documents, or one in a hundred. Otherwise one RFQ that always fails would hide, by a readiness that is always lost, that the
   * rest of the channel is no longer polled.
   */
  newestCompleteRun(filter: { channel: string; kind: RunKind; asOf?: Date | undefined }): Promise<RunRecord | null>
  /** Whether a run that counts as complete had finished by a moment. */
  hadCompleteRun(filter: { channel: string; kind: RunKind; asOf: Date }): Promise<boolean>
  /**
   * When the first poll that did not fail began, or the first of all if all failed: nothing is known about an earlier
   * moment. Null if there is none.
   */
  firstPollAt(filter: { channel?: string; kind?: PollKind }): Promise<Timestamp | null>
}

/** A run that documents are recorded for. */
export interface LiveRun {
  readonly id: number
  readonly channel: string
  readonly kind: RunKind
  /** In which due dates of the channel are interpreted. */
  readonly timeZone: string
  /** Aborted when another process took over the run because its lease had expired. */
  readonly lost: AbortSignal
}

/** A run, for whoever began it. */
export interface RunHandle extends LiveRun {
  /** The newest time that is stored on the channel, if the clock of this process is behind it (`isInFuture`); null if not. */
  readonly futureStoredAt: Timestamp | null
  /** Ends the run and releases its lock. */
  finish(end: RunEnd, now: Date): Promise<RunRecord>
}
