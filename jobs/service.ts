import type { Config } from '../src/config.js'
import type { Readiness } from '../src/domain/readiness.js'
import { once } from '../src/once.js'
import type { JobRunner, Log } from './contract.js'
import { createHandlers, type HandlerDeps } from './handlers.js'
import { createInProcessRunner } from './in-process-runner.js'
import { createReadiness } from './readiness.js'
import { createSchedule } from './schedule.js'
import { settlesWithin } from './settles-within.js'

export interface ServiceOptions extends Omit<HandlerDeps, 'enqueue'> {
  /** Take jobs from the queue. */
  work: boolean
  /** Put jobs into the queue when they fall due. */
  schedule: boolean
  /** Starts the web server; null for none. */
  serveWeb: ((readiness: Readiness) => Promise<WebServer>) | null
}

/** A listening web server. */
export interface WebServer {
  readonly url: string
  close(): Promise<void>
}

export interface Service {
  /** Where it answers over HTTP; null without. */
  readonly url: string | null
  readonly enqueue: JobRunner['enqueue']
  /**
   * Takes no more jobs, finishes or abandons those under way, and closes everything it opened, in reverse order, within
   * ten seconds. What was handed in is left open.
   */
  stop(): Promise<void>
}

/** Jobs under way at once in one process. What they ask of the marketplace has limits of its own. */
const JOBS_AT_ONCE = 4
/** How long jobs may go on once the end was asked for, in milliseconds: of the ten seconds, three are for closing. */
const DRAIN_MS = 6_500
/** How long a beat of the schedule may still wait for a queue that does not answer, in milliseconds. */
const STOP_BEAT_MS = 500

/**
 * Starts the service: the queue, health over HTTP, workers, schedule, as asked.
 * @throws QueueUnavailableError, ListenError: one sentence with the remedy; nothing is left open
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
  const web = (await options.serveWeb?.(createReadiness({ config, store, runner, now }))) ?? null
  // Answers until all jobs have ended: whoever watches sees that the process lives, and is not ready.
  if (web) closers.unshift(() => web.close())
  if (options.work) await runner.work(createHandlers({ ...options, enqueue }))
  if (options.schedule) {
    const schedule = createSchedule({ config, enqueue, now, log })
    schedule.start()
    closers.push(async () => void (await settlesWithin(schedule.stop(), STOP_BEAT_MS)))
  }
  return { runner, web }
}

/** The way to run jobs that the configuration asks for. Errors: QueueUnavailableError. */
export async function createRunner(queue: Config['queue'], log: Log): Promise<JobRunner> {
  if (queue.kind === 'in-process') return createInProcessRunner({ concurrency: JOBS_AT_ONCE, log })
  const { createBullRunner } = await import('./bullmq-runner.js')
  return createBullRunner({ server: queue, concurrency: JOBS_AT_ONCE, log })
}
