import type { Timestamp } from '../../core/time/clock.js'

/**
 * `anchor`: the head of the closing log is written outside; `prune`: idle runs are folded; `rates SOURCE`: the exchange rates of a source
 * are read.
 */
export type MaintenanceTask = 'anchor' | 'prune' | `rates ${string}`

/** When a maintenance task last ran. */
export interface MaintenanceState {
  succeededAt: Timestamp | null
  attemptedAt: Timestamp
  /** Failed attempts since it last succeeded. */
  failures: number
  /** Of the newest attempt; null if it succeeded or is running for the first time. */
  error: string | null
}

export interface MaintenanceLog {
  /** Null if the task never ran. */
  maintenanceState(task: MaintenanceTask): Promise<MaintenanceState | null>
  /**
   * Records the beginning of a task, so that no other process runs it at the same time.
   * @param isDue decides within the transaction whether to run it
   * @returns whether to run it
   */
  beginMaintenance(
    task: MaintenanceTask,
    now: Date,
    isDue: (state: MaintenanceState | null) => boolean,
  ): Promise<boolean>
  /** Records the end of a task. */
  endMaintenance(task: MaintenanceTask, now: Date, end: MaintenanceEnd): Promise<void>
}

/** Which process enqueues a tick of the schedule, where processes have a queue each. */
export interface TickClaims {
  /**
   * Claims a tick of a scheduled job.
   * @param job what becomes due, such as `channel-report acme/forest`
   * @returns false if this tick, or a later one, was claimed before
   */
  claimTick(job: string, tick: Date, now: Date): Promise<boolean>
  /**
   * Records that jobs become due, and returns how often the clock was set back since the first time, by more than clocks may differ.
   * A tick that comes again then is another one, so the number is part of the id of its job.
   */
  clockSetBacks(now: Date): Promise<number>
}

/** `stopped`: neither succeeded nor failed, because the process was stopped. */
export type MaintenanceEnd = 'succeeded' | 'stopped' | { error: string }

/** What pruning removed, or would remove: rows, and about how many bytes they take in the file. */
export interface PruneReport {
  /** Idle runs, without the rows they were folded into. */
  runs: { rows: number; bytes: number }
  /** Approval plans that expired. */
  plans: { rows: number; bytes: number }
  /** Events with their deliveries. */
  events: { rows: number; bytes: number }
}

export interface Pruning {
  /**
   * Folds runs that found nothing new into one row per day, channel, kind and outcome, and deletes expired approval plans
   * and old events. Versions, absences and decisions stay. Null: nothing of that kind.
   */
  prune(options: {
    /** Runs that began before this day (UTC). */
    foldRunsBefore: Date | null
    /** Plans that expired before. */
    dropPlansBefore: Date | null
    /** Events before, unless they are still to be delivered. */
    dropEventsBefore: Date | null
    /** Only report what would be done. */
    dryRun?: boolean
    signal?: AbortSignal
  }): Promise<PruneReport>
}

/** Changes made by `revalidate`. */
export interface RevalidationReport {
  /** Versions parsed. */
  documents: number
  /** Versions that became valid, and that became invalid. */
  nowValid: number
  nowInvalid: number
  problemsGone: number
  problemsNew: number
}
