import type { Config } from '../src/config/contract.js'
import { once, withTimeout } from '../src/core/async.js'
import type { Readiness } from '../src/readiness/contract.js'
import { createReadiness } from '../src/readiness/readiness.js'
import type { JobRunner, Log } from './contract.js'
import { createHandlers, type HandlerDeps } from './handlers.js'
import { createMaintenance, type MaintenanceJob } from './maintenance.js'
import { createNotifications, type NotificationOptions } from './notifications.js'
import { createInProcessRunner } from './queue/in-process-runner.js'
import { createOtherServices } from './queue/other-services.js'
import { queueDatabase } from './queue/queue-binding.js'
import { createSchedule, type Schedule, type ScheduleOptions } from './schedule.js'

export interface ServiceOptions extends Omit<HandlerDeps, 'enqueue'> {
  /** Whether to take jobs from the queue. */
  work: boolean
  /** Whether to enqueue jobs when they become due. */
  schedule: boolean
  /** Jobs on the database as a whole, run by this process. Default none. */
  maintenance?: readonly MaintenanceJob[]
  /** Sends notifications, in a process that schedules. Default: nothing is sent. */
  notifications?: Pick<NotificationOptions, 'send' | 'scrub'>
  /** Bind the queue to the database of this process, even if it belongs to another. Default false. */
  adoptQueue?: boolean
  /** Called when the queue turns out to belong to another database. Stop the service then. Default: an error in the log. */
  onQueueLost?: (error: Error) => void
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
 * @throws QueueUnavailableError; QueueDatabaseError; whatever `serveWeb` throws. Nothing is left open then
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
  const runner = await createRunner(config.queue, log)
  const enqueue: JobRunner['enqueue'] = (...job) => runner.enqueue(...job)
  closers.push(() => runner.close(DRAIN_MS))
  await runner.bindDatabase(await queueDatabase(store), {
    adopt: options.adoptQueue ?? false,
    // Workers run what is scheduled, so a queue without a database belongs to the process that schedules.
    claim: options.schedule,
    onLost: options.onQueueLost ?? ((error) => log.error({ err: error }, 'the queue belongs to another database')),
  })
  let schedule: Schedule | null = null
  const readiness = createReadiness({ config, store, runner, now, checkSchedule: () => schedule?.check() ?? null })
  const web = (await options.serveWeb?.(readiness, runner)) ?? null
  // Closed last: until all jobs have ended, health checks see a live process that is not ready.
  if (web) closers.unshift(() => web.close())
  if (options.work) await runner.work(createHandlers({ ...options, enqueue }))
  if (options.schedule) {
    const others = createOtherServices({ store, ownQueue: config.queue.kind === 'in-process', log })
    await others.start()
    closers.push(async () => void (await withTimeout(others.stop(), STOP_TICK_MS)))
    schedule = createSchedule({
      config,
      enqueue,
      now,
      log,
      setBacks: (at) => store.clockSetBacks(at),
      ...claimsOf(options),
    })
    schedule.start()
    const { stop } = schedule
    closers.push(async () => void (await withTimeout(stop(), STOP_TICK_MS)))
  }
  if (options.schedule && options.notifications) {
    const notifications = createNotifications({ ...options.notifications, config, store, now, log })
    await notifications.start()
    closers.push(async () => void (await withTimeout(notifications.stop(), STOP_TICK_MS)))
  }
  const maintenance = createMaintenance({ jobs: options.maintenance ?? [], store, now, log })
  maintenance.start()
  closers.push(async () => void (await withTimeout(maintenance.stop(), STOP_TICK_MS)))
  return { runner, web }
}

/**
 * A shared queue recognizes the tick of a job by its id. Otherwise the database decides which process makes a report; other scheduled jobs
 * have runs, of which only one is in progress at a time.
 */
function claimsOf({ config, store }: ServiceOptions): Pick<ScheduleOptions, 'claim'> {
  if (config.queue.kind !== 'in-process') return {}
  return {
    claim: async ({ name, channel }, tick, { now, setBacks }) =>
      name !== 'channel-report' ||
      store.claimTick(`${name} ${channel}${setBacks === 0 ? '' : ` ${setBacks}`}`, tick, now),
  }
}

/**
 * Opens the configured queue.
 * @throws QueueUnavailableError
 */
export async function createRunner(queue: Config['queue'], log: Log): Promise<JobRunner> {
  if (queue.kind === 'in-process') return createInProcessRunner({ concurrency: MAX_CONCURRENT_JOBS, log })
  const { createBullRunner } = await import('./queue/bullmq-runner.js')
  return createBullRunner({ url: queue.url, concurrency: MAX_CONCURRENT_JOBS, log })
}
