import type { Cron } from '../src/config/cron.js'
import type { Clock } from '../src/core/time/clock.js'
import type { MaintenanceEnd, MaintenanceLog, MaintenanceState, MaintenanceTask } from '../src/store/contract.js'
import type { Log } from './contract.js'

/** Work on the database as a whole, which belongs to no channel. */
export interface MaintenanceJob {
  task: MaintenanceTask
  cron: Cron
  /** Resolves to what was done, for the log. */
  run: (signal: AbortSignal) => Promise<Record<string, unknown>>
}

export interface MaintenanceOptions {
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
const MAX_RETRY_PAUSE_MS = 3_600_000

/**
 * Runs maintenance jobs in this process, not on the queue: they concern the database file, which a job on the queue might
 * reach through another configuration. The database records when each ran, so that only one of several processes runs it, and a
 * tick missed while the service was stopped runs later. A failed job runs again after a pause that doubles up to an
 * hour.
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
      await store.endMaintenance(task, now(), await runAndLog(task, run))
    } catch (error) {
      log.warn({ task, err: error }, `${task} could not run; it will be retried`)
    }
  }
  const runAndLog = async (task: MaintenanceTask, run: MaintenanceJob['run']): Promise<MaintenanceEnd> => {
    try {
      log.info({ task, ...(await run(stopped.signal)) }, `${task} done`)
      return 'succeeded'
    } catch (error) {
      if (stopped.signal.aborted) return 'stopped'
      log.warn({ task, err: error }, `${task} failed; it will be retried`)
      return { error: (error as Error).message }
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

/** Whether a task is to be run: a tick has passed since it last succeeded, or the pause after its last failure is over. */
export function isDue(state: MaintenanceState | null, cron: Cron, now: Date): boolean {
  if (state === null) return true
  const { succeededAt, attemptedAt, failures } = state
  if (failures > 0) {
    const pause = Math.min(TICK_MS * 2 ** (failures - 1), MAX_RETRY_PAUSE_MS)
    return hasPassed(pause, attemptedAt, now)
  }
  const after = new Date(succeededAt ?? 0)
  // Never succeeded, or the clock was set back.
  if (succeededAt === null || after > now) return true
  return cron.lastTick({ after, upTo: now }) !== null
}

/** Whether a pause has passed. A moment in the future was written before the clock was set back. */
function hasPassed(pauseMs: number, since: string, now: Date): boolean {
  const elapsed = now.getTime() - Date.parse(since)
  return elapsed < 0 || elapsed >= pauseMs
}
