import type { MaintenanceLog, MaintenanceState, MaintenanceTask } from '../contract.js'
import { findMeta, setMeta } from '../sql/meta.js'
import type { Queries, SqlDatabase, Transaction } from '../sql/sql-database.js'

const keyOf = (task: MaintenanceTask) => `maintenance ${task}`

/** When each maintenance task last ran, over all processes on the database and across restarts. */
export function createMaintenanceLog(database: SqlDatabase): MaintenanceLog {
  const find = async (queries: Queries, task: MaintenanceTask) => {
    const text = await findMeta(queries, keyOf(task))
    return text === null ? null : (JSON.parse(text) as MaintenanceState)
  }
  const record = (tx: Transaction, task: MaintenanceTask, now: Date, error: string | null) =>
    setMeta(tx, keyOf(task), JSON.stringify({ at: now.toISOString(), error } satisfies MaintenanceState))
  return {
    maintenanceState: (task) => find(database, task),
    beginMaintenance: (task, now, isDue) =>
      database.write(async (tx) => {
        await tx.lock('maintenance', task)
        if (!isDue(await find(tx, task))) return false
        // If the process is killed, this is what stays.
        await record(tx, task, now, `it began at ${now.toISOString()} and has not ended`)
        return true
      }),
    endMaintenance: (task, now, error) => database.write((tx) => record(tx, task, now, error)),
  }
}
