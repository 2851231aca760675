import type { Connection } from './connection.js'
import type { MaintenanceLog, MaintenanceState } from './contract.js'

/** A task that has not ended after this time was killed, in milliseconds. */
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
export function createMaintenanceLog(connection: Connection): MaintenanceLog {
  const find = 'select * from maintenance where task = ?'
  return {
    async maintenanceState(task) {
      const row = connection.read((db) => db.prepare(find).get(task)) as Row | undefined
      return row ? toState(row) : null
    },

    beginMaintenance: (task, now, isDue) =>
      connection.write(() => {
        const at = now.toISOString()
        const row = connection.statement(find).get(task) as Row | undefined
        // A moment far ahead was written before the clock was set back.
        const until = new Date(now.getTime() + MAX_DURATION_MS).toISOString()
        const running = row?.running_until != null && row.running_until > at && row.running_until <= until
        if (running || !isDue(row ? toState(row) : null)) return false
        connection
          .statement(
            `insert into maintenance (task, attempted_at, running_until) values (@task, @at, @until)
            on conflict (task) do update set attempted_at = @at, running_until = @until`,
          )
          .run({ task, at, until })
        return true
      }),

    endMaintenance: (task, now, end) =>
      connection.write(() => {
        connection.statement('update maintenance set running_until = null where task = ?').run(task)
        if (end === 'stopped') return
        if (end === 'succeeded') {
          connection
            .statement('update maintenance set succeeded_at = ?, failures = 0, error = null where task = ?')
            .run(now.toISOString(), task)
        } else {
          connection
            .statement('update maintenance set failures = failures + 1, error = ? where task = ?')
            .run(end.error, task)
        }
      }),
  }
}
