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

/** Runs maintenance jobs when they are due. */
export interface Maintenance {
  /** Runs what is due. Never rejects; calls run one after another. */
  tick(): Promise<void>
  start(): void
  /** Aborts a running job and waits for its end. */
  stop(): Promise<void>
}

const TICK_MS = 60_000
/** After this time, a task that failed or did not end is run again. */
const RETRY_PAUSE_MS = 600_000

/**
 * Runs maintenance jobs in this process, not on the queue: they concern the database file, which a job on the queue might
 * reach through another configuration. The database records when each ran, so that only one of several processes runs it, and a
 * tick missed while the service was stopped runs later.
 */
export function createMaintenance({ jobs, store, now, log }: MaintenanceOptions): Maintenance {
  const stopped = new AbortController()
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()
  const runAll = async () => {
    for (const job of jobs) {
      if (!stopped.signal.aborted) await runIfDue(job)
    }
  }
  const runIfDue = async ({ task, cron, run }: MaintenanceJob) => {
    try {
      const started = now()
      if (!isDue(await store.maintenanceState(task), cron, started)) return
      if (!(await store.beginMaintenance(task, started, (state) => isDue(state, cron, started)))) return
      const outcome = await run(stopped.signal).catch((error: Error) => error)
      const error = outcome instanceof Error ? outcome : null
      if (error && stopped.signal.aborted) return
      await store.endMaintenance(task, now(), error?.message ?? null)
      if (error) log.warn({ task, err: error }, `${task} failed; it will be retried`)
      else log.info({ task, ...outcome }, `${task} done`)
    } catch (error) {
      log.warn({ task, err: error }, `${task} could not run; it will be retried`)
    }
  }
  const tick = () => {
    running = running.then(runAll)
    return running
  }
  return {
    tick,
    start() {
      if (jobs.length === 0) return
      timer = setInterval(tick, TICK_MS).unref()
      void tick()
    },
    async stop() {
      if (timer) clearInterval(timer)
      stopped.abort(new Error('the service is shutting down'))
      await running
    },
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
