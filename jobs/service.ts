import type { Config } from '../src/config/contract.js'
import { once, withTimeout } from '../src/core/async.js'
import type { Readiness } from '../src/readiness/contract.js'
import { createReadiness } from '../src/readiness/readiness.js'
import type { JobRunner, Log } from './contract.js'
import { createHandlers, type HandlerDeps } from './handlers.js'
import { type MaintenanceJob, runMaintenance } from './maintenance.js'
import { createNotifications, type NotificationOptions } from './notifications.js'
import { createInProcessRunner } from './queue/in-process-runner.js'
import { repeat } from './repeat.js'
import { createSchedule, type Schedule } from './schedule.js'

export interface ServiceOptions extends Omit<HandlerDeps, 'enqueue'> {
  /** Whether to take jobs from the queue. */
  work: boolean
  /** Whether to enqueue jobs when they become due. */
  schedule: boolean
  /** Jobs on the database as a whole, run by this process. Default none. */
  maintenance?: readonly MaintenanceJob[]
  /** Sends notifications, in a process that schedules. Default: nothing is sent. */
  notifications?: Pick<NotificationOptions, 'send' | 'scrub'>
  /** Starts the web server; null for none. */
  serveWeb: ((readiness: Readiness, runner: ServiceQueue) => Promise<WebServer>) | null
}

/** The queue, as far as the web server uses it. */
export type ServiceQueue = Pick<JobRunner, 'enqueue' | 'job' | 'load'>

/** A listening web server. */
export interface WebServer {
  readonly url: string
  close(): Promise<void>
}

export interface Service {
  /** Address of the web server; null if there is none. */
  readonly url: string | null
  readonly enqueue: JobRunner['enqueue']
  /**
   * Takes no more jobs, waits for running ones or aborts them, and closes everything it opened within ten seconds.
   * Leaves open what was passed in.
   */
  stop(): Promise<void>
}

/** Jobs that run at the same time in one process. Requests to the marketplace have their own limits. */
const MAX_CONCURRENT_JOBS = 4
/** How long running jobs may continue after a stop request (ms); the rest of the ten seconds is for closing. */
const DRAIN_MS = 6_500
/** How long a running tick may wait for the queue at a stop (ms). */
const STOP_TICK_MS = 500

/**
 * Starts the requested parts of the service: queue, web server, workers, schedule.
 * @throws QueueUnavailableError; whatever `serveWeb` throws. Nothing is left open then
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const closers: (() => Promise<void>)[] = []
  const stop = once(async () => {
    for (const close of closers.reverse()) await close()
  })
  try {
    const { runner, web } = await open(options, closers)
    return { url: web?.url ?? null, enqueue: (...job) => runner.enqueue(...job), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function open(options: ServiceOptions, closers: (() => Promise<void>)[]) {
  const { config, store, now, log } = options
  const runner = await createRunner(config.queue, { database: await store.identity(), log })
  const enqueue: JobRunner['enqueue'] = (...job) => runner.enqueue(...job)
  closers.push(() => runner.close(DRAIN_MS))
  let schedule: Schedule | null = null
  const readiness = createReadiness({ config, store, runner, now, checkSchedule: () => schedule?.check() ?? null })
  const web = (await options.serveWeb?.(readiness, runner)) ?? null
  // Closed last: until all jobs have ended, health checks see a live process that is not ready.
  if (web) closers.unshift(() => web.close())
  if (options.work) await runner.work(createHandlers({ ...options, enqueue }))
  if (options.schedule) {
    schedule = createSchedule({ config, enqueue, now, log })
    schedule.start()
    const { stop } = schedule
    closers.push(async () => void (await withTimeout(stop(), STOP_TICK_MS)))
  }
  const keep = (what: string, intervalMs: number, work: (signal: AbortSignal) => Promise<void>) => {
    const stop = repeat(what, intervalMs, work, log)
    closers.push(async () => void (await withTimeout(stop(), STOP_TICK_MS)))
  }
  if (options.schedule && options.notifications) {
    const { deliver, watch } = createNotifications({ ...options.notifications, config, store, now, log })
    await store.setTargets(config.notify.targets, now())
    keep('checking due dates and late polls', WATCH_MS, watch)
    // A target that answers slowly does not delay the others.
    for (const target of config.notify.targets)
      keep(`sending notifications to ${target.name}`, DELIVER_MS, (signal) => deliver(target, signal))
  }
  const jobs = options.maintenance ?? []
  keep('maintenance', MAINTENANCE_MS, (signal) => runMaintenance({ jobs, store, now, log }, signal))
  return { runner, web }
}

/** How often what is due is looked for, in milliseconds. */
const [DELIVER_MS, MAINTENANCE_MS, WATCH_MS] = [5_000, 60_000, 300_000]

/**
 * Opens the configured queue.
 * @param options.database id of the database of this process: each has its own queue on a Redis
 * @throws QueueUnavailableError
 */
export async function createRunner(
  queue: Config['queue'],
  { database, log }: { database: string; log: Log },
): Promise<JobRunner> {
  if (queue.kind === 'in-process') return createInProcessRunner({ concurrency: MAX_CONCURRENT_JOBS, log })
  const { createBullRunner } = await import('./queue/bullmq-runner.js')
  return createBullRunner({
    url: queue.url,
    prefix: `{quotekeeper}:${database}`,
    concurrency: MAX_CONCURRENT_JOBS,
    log,
  })
}
