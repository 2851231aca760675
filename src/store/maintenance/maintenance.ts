import type { Timestamp } from '../../core/time/clock.js'
import { findJson, setMeta } from '../sql/meta.js'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'

/** `prune` deletes old runs and events; `rates SOURCE` reads the exchange rates of a source. */
export type MaintenanceTask = 'prune' | `rates ${string}`

/** The newest run of a maintenance task. */
export interface MaintenanceState {
  /** When it ended, or began if it has not. */
  at: Timestamp
  /** Null if it succeeded. */
  error: string | null
}

const keyOf = (task: MaintenanceTask) => `maintenance ${task}`

/** When each maintenance task last ran, over all processes on the database and across restarts. */
export function createMaintenanceLog(database: SqlDatabase) {
  const record = (tx: Transaction, task: MaintenanceTask, now: Date, error: string | null) =>
    setMeta(tx, keyOf(task), JSON.stringify({ at: now.toISOString(), error } satisfies MaintenanceState))
  return {
    /** Null if the task never ran. */
    maintenanceState: (task: MaintenanceTask) => findJson<MaintenanceState>(database, keyOf(task)),

    /**
     * Records the start of a task, so that no other process runs it at the same time.
     * @param isDue decides within the transaction whether to run it
     * @returns whether to run it
     */
    beginMaintenance: (task: MaintenanceTask, now: Date, isDue: (state: MaintenanceState | null) => boolean) =>
      database.write(async (tx) => {
        await tx.lock('maintenance', task)
        if (!isDue(await findJson(tx, keyOf(task)))) return false
        // If the process is killed, this is what stays.
        await record(tx, task, now, `it began at ${now.toISOString()} and has not ended`)
        return true
      }),

    /** Records the end of a task; a task that was stopped has none. */
    endMaintenance: (task: MaintenanceTask, now: Date, error: string | null) =>
      database.write((tx) => record(tx, task, now, error)),
  }
}
