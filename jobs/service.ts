import type { Config } from '../src/config/contract.js'
import { once, withTimeout } from '../src/core/async.js'
import type { SendMessage } from '../src/notify/contract.js'
import { deliverTo } from '../src/notify/deliverer.js'
import { createWatch } from '../src/notify/watch.js'
import type { Readiness } from '../src/readiness/readiness.js'
import { createReadiness } from '../src/readiness/readiness.js'
import type { JobRunner, Log } from './contract.js'
import { createHandlers, type HandlerDeps } from './handlers.js'
import { type MaintenanceJob, runMaintenance } from './maintenance.js'
import { createInProcessRunner } from './queue/in-process-runner.js'
import { repeat } from './repeat.js'
import { createSchedule } from './schedule.js'

export interface ServiceOptions extends Omit<HandlerDeps, 'enqueue'> {
  /** Whether to enqueue jobs when they become due, maintain the database and send notifications, besides taking jobs from the queue. */
  schedule: boolean
  /** Jobs on the database as a whole. */
  maintenance: readonly MaintenanceJob[]
  /** Sends notifications. */
  send: SendMessage
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
/** How long what is done repeatedly may take to end at a stop (ms). */
const STOP_REPEATING_MS = 500
/** How often what is due is looked for, in milliseconds. */
const [DELIVER_MS, MAINTENANCE_MS, WATCH_MS] = [5_000, 60_000, 300_000]

/**
 * Starts the requested parts of the service: queue, web server, workers, and what is done repeatedly.
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
  closers.push(() => runner.close(DRAIN_MS))
  const { enqueue } = runner
  const schedule = options.schedule ? createSchedule({ config, enqueue, now, log }) : null
  const readiness = createReadiness({ config, store, runner, now, schedule })
  const web = (await options.serveWeb?.(readiness, runner)) ?? null
  // Closed last: until all jobs have ended, health checks see a live process that is not ready.
  if (web) closers.unshift(() => web.close())
  await runner.work(createHandlers({ ...options, enqueue }))
  if (schedule === null) return { runner, web }
  await store.setTargets(config.notify.targets)
  const delivery = { send: options.send, timeZone: config.scheduleTimeZone, store, now, log }
  const repeating = [
    repeat('enqueuing scheduled jobs', schedule.stepMs, schedule.tick, log),
    repeat('checking due dates and late polls', WATCH_MS, createWatch({ config, store, now }), log),
    ...options.maintenance.map((job) => repeat(job.task, MAINTENANCE_MS, (signal) => maintain(job, signal), log)),
    // A target that answers slowly does not delay the others.
    ...config.notify.targets.map((target) =>
      repeat(`notifying ${target.name}`, DELIVER_MS, (signal) => deliverTo(target, delivery, signal), log),
    ),
  ]
  closers.push(async () => void (await withTimeout(Promise.all(repeating.map((end) => end())), STOP_REPEATING_MS)))
  return { runner, web }

  async function maintain(job: MaintenanceJob, signal: AbortSignal) {
    const done = await runMaintenance(job, { store, now }, signal)
    if (done !== null) log.info({ task: job.task, ...done }, `${job.task} done`)
  }
}

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
