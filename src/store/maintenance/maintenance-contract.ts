import type { Timestamp } from '../../core/time/clock.js'

/**
 * `prune` deletes old runs and events; `rates SOURCE` reads the exchange rates of a
 * source.
 */
export type MaintenanceTask = 'prune' | `rates ${string}`

/** The newest run of a maintenance task. */
export interface MaintenanceState {
  /** When it ended, or began if it has not. */
  at: Timestamp
  /** Null if it succeeded. */
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
  /** Records the end of a task; a task that was stopped has none. */
  endMaintenance(task: MaintenanceTask, now: Date, error: string | null): Promise<void>
}

export interface Pruning {
  /**
   * Deletes runs that began, and events that happened, before a moment: runs that found nothing new and to which nothing refers, and events
   * that are not still to be delivered. Versions and decisions are kept.
   * @returns how many were deleted
   */
  prune(options: { before: Date; signal?: AbortSignal }): Promise<{ runs: number; events: number }>
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
