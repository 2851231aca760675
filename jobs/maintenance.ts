import type { Cron } from '../src/config/cron.js'
import type { Clock } from '../src/core/time/clock.js'
import type { MaintenanceLog, MaintenanceState, MaintenanceTask } from '../src/store/contract.js'
import type { Log } from './contract.js'

/** Work on the database as a whole, which belongs to no channel. */
export interface MaintenanceJob {
  task: MaintenanceTask
  cron: Cron
  /** Resolves to what was done, for the log. */
  run: (signal: AbortSignal) => Promise<Record<string, unknown>>
}

interface MaintenanceOptions {
  jobs: readonly MaintenanceJob[]
  store: MaintenanceLog
  now: Clock
  log: Log
}

/** After this time, a task that failed or did not end is run again. */
const RETRY_PAUSE_MS = 600_000

/**
 * Runs maintenance jobs that are due in this process, not on the queue: they concern the database file, which a job on the queue might
 * reach through another configuration. The database records when each ran, so that only one of several processes runs it, and a
 * tick missed while the service was stopped runs later. Never rejects.
 */
export async function runMaintenance(
  { jobs, store, now, log }: MaintenanceOptions,
  signal: AbortSignal,
): Promise<void> {
  for (const { task, cron, run } of jobs) {
    if (signal.aborted) return
    try {
      const started = now()
      if (!isDue(await store.maintenanceState(task), cron, started)) continue
      if (!(await store.beginMaintenance(task, started, (state) => isDue(state, cron, started)))) continue
      const outcome = await run(signal).catch((error: Error) => error)
      const error = outcome instanceof Error ? outcome : null
      if (error && signal.aborted) return
      await store.endMaintenance(task, now(), error?.message ?? null)
      if (error) log.warn({ task, err: error }, `${task} failed; it will be retried`)
      else log.info({ task, ...outcome }, `${task} done`)
    } catch (error) {
      log.warn({ task, err: error }, `${task} could not run; it will be retried`)
    }
  }
}

/** Whether a task is to be run: a tick has passed since it succeeded, or ten minutes since it failed or was killed. */
export function isDue(state: MaintenanceState | null, cron: Cron, now: Date): boolean {
  if (state === null) return true
  const after = new Date(state.at)
  // The clock was set back.
  if (after > now) return true
  if (state.error !== null) return now.getTime() - after.getTime() >= RETRY_PAUSE_MS
  return cron.lastTick({ after, upTo: now }) !== null
}
