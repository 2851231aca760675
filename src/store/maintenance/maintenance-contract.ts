import type { Timestamp } from '../../core/time/clock.js'

/**
 * `prune` folds idle runs; `rates SOURCE` reads the exchange rates of a
 * source.
 */
export type MaintenanceTask = 'prune' | `rates ${string}`

/** When a maintenance task last ran. */
export interface MaintenanceState {
  succeededAt: Timestamp | null
  attemptedAt: Timestamp
  /** Failed attempts since it last succeeded. */
  failures: number
  /** The error of the newest attempt; null if it succeeded or is running for the first time. */
  error: string | null
}

export interface MaintenanceLog {
  /** Null if the task never ran. */
  maintenanceState(task: MaintenanceTask): Promise<MaintenanceState | null>
  /**
   * Records the start of a task, so that no other process runs it at the same time.
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

/** Tells ticks of the schedule apart that recur after the clock was set back. */
export interface ScheduleClock {
  /**
   * Records the time, and returns how often the clock was set back by more than clocks may differ. A tick that recurs after that is a new
   * one, so this number is part of the id of its job.
   */
  clockSetBacks(now: Date): Promise<number>
}

/** `stopped`: the process was stopped before the task ended. */
export type MaintenanceEnd = 'succeeded' | 'stopped' | { error: string }

/** What pruning removed, or would remove: rows, and approximately how many bytes they take in the file. */
export interface PruneReport {
  /** Idle runs, not counting the rows into which they were folded. */
  runs: { rows: number; bytes: number }
  /** Approval plans that expired. */
  plans: { rows: number; bytes: number }
  /** Events with their deliveries. */
  events: { rows: number; bytes: number }
}

export interface Pruning {
  /**
   * Folds runs that found nothing new into one row per day, channel, kind and outcome, and deletes expired approval plans
   * and old events. Versions, absences and decisions are kept. Null: prunes nothing of that kind.
   */
  prune(options: {
    /** Folds runs that began before this day (UTC). */
    foldRunsBefore: Date | null
    /** Deletes plans that expired before. */
    dropPlansBefore: Date | null
    /** Deletes older events, unless they are still to be delivered. */
    dropEventsBefore: Date | null
    /** Only reports what would be removed. */
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
