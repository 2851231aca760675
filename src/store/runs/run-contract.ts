import type { RunKind, RunOutcome, RunRecord } from '../../core/records.js'

/** How a run ended. */
export interface RunEnd
  extends Omit<RunRecord, 'id' | 'channel' | 'kind' | 'startedAt' | 'finishedAt' | 'outcome' | 'suspicious'> {
  outcome: Exclude<RunOutcome, 'interrupted'>
  /** Whether the list may not be whole, so that nothing was marked missing; null if none was read. */
  suspicious: boolean | null
  /** The marketplace does not accept the API key. */
  keyRefused: boolean
}

export type PollKind = Exclude<RunKind, 'close'>

export interface RunStart {
  channel: string
  kind: RunKind
  now: Date
  /** The time zone that decides whether an offer is late. Default UTC. */
  timeZone?: string | undefined
  /** A person started it: it runs beside another run of its kind, and before polls of the schedule. Default false. */
  byHand?: boolean | undefined
  /** Ends the waiting for the lock. */
  signal?: AbortSignal | undefined
  /** Called once, when it has waited for the lock for two seconds. @param holder the run that holds it, in words */
  onWait?: ((holder: string) => void) | undefined
}

/** The run in which documents are recorded. */
export interface LiveRun {
  readonly id: number
  readonly channel: string
  readonly kind: RunKind
  /** The time zone of the due dates of the channel. */
  readonly timeZone: string
  /** Its process, as stored. */
  readonly holder: string
  /** How urgently it waits for the lock, as in `channels.wanted`: a closing round or a person (2) goes before a poll of the schedule (1). */
  readonly level: 1 | 2
  /** Aborted when another process has recorded the run as interrupted. */
  readonly lost: AbortSignal
  /** Somebody waits for the lock, before whom this run must not go: it begins nothing more in its step. As of its last recording. */
  isWanted: boolean
}

/** A run, for the process that began it. */
export interface RunHandle extends LiveRun {
  /**
   * Does a step, during which the run has the lock of its channel: nothing else is recorded there. A run does one step at a time.
   * @throws RunLostError; the reason of the signal if it ends the waiting; what the work throws
   */
  step<T>(work: () => Promise<T>): Promise<T>
  /** Ends the run. */
  finish(end: RunEnd, now: Date): Promise<RunRecord>
}
