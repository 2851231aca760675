import { type Job, UnrecoverableError, WaitingError } from 'bullmq'
import type { JobHandlers, JobName, JobPayload, JobRunner, Log } from './contract.js'
import { type ErrorThrottle, throttledErrorLog } from './error-throttle.js'
import { QueueUnavailableError } from './errors.js'
import { fairnessKey } from './job-id.js'
import { parseJob } from './job-payload.js'
import { openPostgresBackend } from './postgres-backend.js'
import { type BackendQueue, type BackendWorker, type QueueBackend, queueAddress } from './queue-backend.js'
import { openRedisBackend } from './redis-backend.js'
import { runJob } from './run-job.js'
import { settlesWithin } from './settles-within.js'

export interface BullRunnerOptions {
  server: { kind: 'redis' | 'postgres'; url: string }
  /** What all keys in Redis begin with, or the schema in PostgreSQL; an identifier. */
  prefix?: string
  /** Jobs under way at once in this process. */
  concurrency: number
  log: Log
  /** In milliseconds; the defaults are right but for tests. */
  timing?: Partial<Timing>
}
type Timing = typeof TIMING

const TIMING = {
  /** How long a job belongs to a worker that says nothing: kill -9 is noticed after this, and a check. */
  lock: 30_000,
  stalledCheck: 10_000,
  /** How long a worker waits after an error of the queue. */
  retry: 2_000,
  /** How long the queue may take to be there at the start. */
  start: 5_000,
  /** How long the queue may take to answer. */
  answer: 4_000,
  /** How long an aborted job may take to let go, and then BullMQ to write what is done. */
  grace: 1_000,
}
/** Finished jobs: their ids still block a second scheduler's same tick; bounded both ways. */
const KEEP = { age: 24 * 3_600, count: 5_000 }

/**
 * Runs jobs by BullMQ on Redis or PostgreSQL: any number of processes and machines on one queue.
 * @throws QueueUnavailableError with the remedy, after some seconds, where the queue does not answer
 */
export async function createBullRunner(options: BullRunnerOptions): Promise<JobRunner> {
  const { server, prefix = 'quotekeeper', concurrency, log } = options
  const timing = { ...TIMING, ...options.timing }
  const address = queueAddress(server.url)
  const teller = throttledErrorLog(log, address)
  try {
    const shared = { url: server.url, prefix, responseTimeoutMs: timing.answer, onReconnect: teller.recovered }
    const link =
      server.kind === 'redis'
        ? openRedisBackend(shared)
        : await openPostgresBackend({ ...shared, startMs: timing.start })
    const queue = await openQueue(link, timing.start, teller)
    return new BullRunner({ link, queue, address, concurrency, timing, log, teller })
  } catch (error) {
    throw unavailable(address, error as Error)
  }
}

async function openQueue(link: QueueBackend, withinMs: number, teller: ErrorThrottle): Promise<BackendQueue> {
  const queue = link.queue()
  let last = new Error('no answer')
  queue.on('error', (error) => {
    last = error
    teller.error(error)
  })
  const ready = queue.waitUntilReady()
  if (await settlesWithin(ready, withinMs)) return ready.then(() => queue)
  link.disconnect()
  void queue.close().catch(teller.error)
  throw last
}

function unavailable(address: string, cause: Error): QueueUnavailableError {
  const remedy = 'start it, or correct "queue" in the configuration ("queue: in-process" needs no server)'
  return new QueueUnavailableError(`the queue at ${address} does not answer (${cause.message}): ${remedy}`, { cause })
}

interface Parts {
  link: QueueBackend
  queue: BackendQueue
  address: string
  concurrency: number
  timing: Timing
  log: Log
  teller: ErrorThrottle
}

class BullRunner implements JobRunner {
  readonly #parts: Parts
  readonly #underWay = new Set<Promise<void>>()
  #worker: BackendWorker | null = null
  #closing = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async enqueue(name: JobName, payload: JobPayload, id: string): Promise<boolean> {
    parseJob(name, payload)
    return this.#answered(() => add(this.#parts.queue, name, payload, id))
  }

  async work(handlers: JobHandlers): Promise<void> {
    const { link, concurrency, timing, log, teller } = this.#parts
    // BullMQ hands the signal only to a function that names three parameters.
    const worker = link.worker((job, token, signal) => this.#process(handlers, job, token, signal), {
      concurrency,
      lockDuration: timing.lock,
      stalledInterval: timing.stalledCheck,
      maxStalledCount: 3,
      runRetryDelay: timing.retry,
      removeOnComplete: KEEP,
      removeOnFail: KEEP,
    })
    worker.on('error', teller.error)
    worker.on('stalled', (id) => log.warn({ id }, 'the worker of this job fell silent: the job is run again'))
    this.#worker = worker
    await this.#answered(() => worker.waitUntilReady())
  }

  async ping(): Promise<{ ok: boolean; message: string }> {
    try {
      // A write: a full Redis, or one that lost its mastership, still answers reads.
      await this.#answered(() => this.#parts.queue.getBackend().setQueueMeta({ 'quotekeeper.ping': Date.now() }))
      return { ok: true, message: `the queue at ${this.#parts.address} answers` }
    } catch (error) {
      return { ok: false, message: (error as Error).message }
    }
  }

  async close(deadlineMs: number): Promise<void> {
    const { link, queue, timing } = this.#parts
    this.#closing = true
    await this.#worker?.pause(true)
    const drain = (withinMs: number) => settlesWithin(Promise.allSettled(this.#underWay), withinMs)
    if (!(await drain(deadlineMs))) {
      this.#worker?.cancelAllJobs('the service is shutting down')
      await drain(timing.grace)
    }
    // By force where a job does not let go: its lock runs out, and another worker takes it up.
    const force = this.#underWay.size > 0
    await settlesWithin(Promise.allSettled([this.#worker?.close(force), queue.close()]), timing.grace)
    link.disconnect()
  }

  async #process(handlers: JobHandlers, job: Job, token = '', signal = new AbortController().signal): Promise<void> {
    if (this.#closing) {
      // Fetched by a wait that began before the end: back with it, for another worker.
      await job.moveToWait(token)
      throw new WaitingError()
    }
    const done = runJob(handlers, { id: job.id ?? '', name: job.name, data: job.data, signal }, this.#parts.log)
    this.#underWay.add(done)
    try {
      await done
    } catch (error) {
      // Never tried again, whatever whoever added it wished: retries live in the marketplace client alone.
      throw new UnrecoverableError((error as Error).message)
    } finally {
      this.#underWay.delete(done)
    }
  }

  /** Waits for an answer of the queue, but not for ever. */
  async #answered<T>(ask: () => Promise<T>): Promise<T> {
    const { address, timing } = this.#parts
    if (this.#closing) throw new QueueUnavailableError('the service is shutting down and takes no more jobs')
    const asked = ask()
    if (!(await settlesWithin(asked, timing.answer))) throw unavailable(address, new Error('no answer'))
    return asked.catch((error: Error) => {
      throw unavailable(address, error)
    })
  }
}

/** Adds a job unless its id is known or one waits in its lane. */
async function add(queue: BackendQueue, name: JobName, payload: JobPayload, id: string): Promise<boolean> {
  const deduplication = { id: fairnessKey(name, payload), keepLastIfActive: true }
  // Asked first: on PostgreSQL, BullMQ 6.7 gives the lane to a finished job whose id is added again, and blocks it.
  if (await queue.getJob(id)) return false
  let running: string | undefined
  for (let tries = 0; tries < 4; tries++) {
    const taken = await queue.add(name, payload, { jobId: id, deduplication, attempts: 1, stackTraceLimit: 1 })
    if (taken.id === id) return true
    // Another job has the lane. Where it was running when asked, BullMQ keeps ours to run after it.
    if (taken.id === running) return true
    const other = taken.id === undefined ? undefined : await queue.getJob(taken.id)
    const state = await other?.getState()
    if (state === 'active') running = taken.id
    else if (state === 'completed' || state === 'failed') await other?.removeDeduplicationKey()
    else return false
  }
  return false
}
