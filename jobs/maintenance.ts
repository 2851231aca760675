import type { Cron } from '../src/config/cron.js'
import type { Clock } from '../src/core/time/clock.js'
import type { MaintenanceState, MaintenanceTask, Store } from '../src/store/contract.js'

/** Work on the database as a whole, which belongs to no channel. */
export interface MaintenanceJob {
  task: MaintenanceTask
  /** @param state of its newest run; null if it never ran */
  isDue: (state: MaintenanceState | null, now: Date) => boolean
  /** Resolves to what was done, for the log. */
  run: (signal: AbortSignal) => Promise<Record<string, unknown>>
}

/** After this time, a task that failed or did not end is run again. */
const RETRY_PAUSE_MS = 600_000

/**
 * Runs a maintenance job if it is due, in this process, not on the queue: it concerns the database file, which a job on the queue might
 * reach through another configuration. The database records when each ran, so that only one of several processes runs it, and a
 * tick missed while the service was stopped runs later.
 * @returns what was done; null if nothing was
 * @throws what kept the job from being done, which is recorded
 */
export async function runMaintenance(
  { task, isDue, run }: MaintenanceJob,
  { store, now }: { store: Store; now: Clock },
  signal: AbortSignal,
): Promise<Record<string, unknown> | null> {
  const started = now()
  if (!isDue(await store.maintenanceState(task), started)) return null
  if (!(await store.beginMaintenance(task, started, (state) => isDue(state, started)))) return null
  try {
    const done = await run(signal)
    await store.endMaintenance(task, now(), null)
    return done
  } catch (error) {
    // What was stopped has no end.
    if (!signal.aborted) await store.endMaintenance(task, now(), (error as Error).message)
    throw error
  }
}

/** A job is due if a tick has passed since it succeeded, or ten minutes since it failed or was killed. */
export const dueBy =
  (cron: Cron): MaintenanceJob['isDue'] =>
  (state, now) => {
    if (state === null) return true
    const after = new Date(state.at)
    // The clock was set back.
    if (after > now) return true
    if (state.error !== null) return now.getTime() - after.getTime() >= RETRY_PAUSE_MS
    return cron.lastTick({ after, upTo: now }) !== null
  }
