import { MAX_CLOCK_DIFFERENCE_MS } from '../../core/time/clock.js'
import type { MaintenanceLog, MaintenanceState } from '../contract.js'
import type { SqlDatabase } from '../sql/sql-database.js'

/** A task that has not ended after this time counts as killed, in milliseconds. */
const MAX_DURATION_MS = 600_000

interface Row {
  succeeded_at: string | null
  attempted_at: string
  failures: number
  error: string | null
  running_until: string | null
}

const toState = (row: Row): MaintenanceState => ({
  succeededAt: row.succeeded_at,
  attemptedAt: row.attempted_at,
  failures: row.failures,
  error: row.error,
})

/** When each maintenance task last ran, over all processes on the database and across restarts. */
export function createMaintenanceLog(database: SqlDatabase): MaintenanceLog {
  const find = 'select * from maintenance where task = @task'
  return {
    async maintenanceState(task) {
      const row = await database.get<Row>(find, { task })
      return row ? toState(row) : null
    },

    beginMaintenance: (task, now, isDue) =>
      database.write(async (tx) => {
        await tx.lock('maintenance', task)
        const at = now.toISOString()
        const row = await tx.get<Row>(find, { task })
        // A later moment was written before the clock was set back.
        const until = new Date(now.getTime() + MAX_DURATION_MS).toISOString()
        const farAhead = new Date(now.getTime() + MAX_DURATION_MS + MAX_CLOCK_DIFFERENCE_MS).toISOString()
        const running = row?.running_until != null && row.running_until > at && row.running_until <= farAhead
        if (running || !isDue(row ? toState(row) : null)) return false
        await tx.run(
          `insert into maintenance (task, attempted_at, running_until) values (@task, @at, @until)
          on conflict (task) do update set attempted_at = @at, running_until = @until`,
          { task, at, until },
        )
        return true
      }),

    endMaintenance: (task, now, end) =>
      database.write(async (tx) => {
        await tx.run('update maintenance set running_until = null where task = @task', { task })
        if (end === 'stopped') return
        if (end === 'succeeded') {
          await tx.run('update maintenance set succeeded_at = @at, failures = 0, error = null where task = @task', {
            task,
            at: now.toISOString(),
          })
        } else {
          await tx.run('update maintenance set failures = failures + 1, error = @error where task = @task', {
            task,
            error: end.error,
          })
        }
      }),
  }
}
