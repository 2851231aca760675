import { type Job, type Queue, UnrecoverableError, WaitingError, type Worker } from 'bullmq'
import { withTimeout } from '../../src/core/async.js'
import type { QueueLoad } from '../../src/core/queue-load.js'
import type { JobHandlers, JobName, JobPayload, JobRunner, JobStatus, Log } from '../contract.js'
import { QueueUnavailableError } from '../errors.js'
import { parseJob } from '../job-payload.js'
import { createOutageLog } from '../outage-log.js'
import { runJob } from '../run-job.js'
import { addJob, findJob, readQueueLoad } from './bullmq-jobs.js'
import { openRedisBackend, queueAddress, type RedisBackend } from './redis-backend.js'
import { RUNNER_TIMING, type RunnerTiming } from './runner-timing.js'

export interface BullRunnerOptions {
  /** URL of the Redis server. */
  url: string
  /** Prefix of all keys, with a part in braces, so that a cluster keeps them on one node. */
  prefix: string
  /** Jobs that run at the same time in this process. */
  concurrency: number
  log: Log
  /** In milliseconds; only tests override it. */
  timing?: Partial<RunnerTiming>
}

/** Errors of BullMQ about a job that outlived its lock in an outage: it runs again, or its end was recorded although the reply was lost. */
const LOST_LOCK = /\b(missing lock|lock mismatch|could not renew lock)(?= for job )|\bis not in the active state/i
/** How long finished jobs are kept, for their status (age in seconds). */
const RETENTION = { age: 24 * 3_600, count: 5_000 }

/**
 * Runs jobs with BullMQ on Redis: any number of processes on one machine can share one queue.
 * @throws QueueUnavailableError with the remedy if the queue does not answer within seconds, or may evict jobs
 */
export async function createBullRunner(options: BullRunnerOptions): Promise<JobRunner> {
  const { url, prefix, concurrency, log } = options
  const timing = { ...RUNNER_TIMING, ...options.timing }
  const address = queueAddress(url)
  const logOutage = createOutageLog(log, `the queue at ${address}`)
  const onOutcome: typeof logOutage = (error, began) =>
    void (LOST_LOCK.test(error?.message ?? '') || logOutage(error, began))
  try {
    const responseTimeoutMs = timing.response
    const backend = openRedisBackend({ url, prefix, responseTimeoutMs, onReconnect: () => onOutcome(null) })
    const queue = await openQueue(backend, timing.start, onOutcome)
    return new BullRunner({ backend, queue, address, concurrency, timing, log, onOutcome })
  } catch (error) {
    throw unavailableError(address, error as Error)
  }
}

async function openQueue(backend: RedisBackend, withinMs: number, onError: (error: Error) => void): Promise<Queue> {
  const queue = backend.queue()
  let lastError = new Error('no response')
  queue.on('error', (error) => {
    lastError = error
    onError(error)
  })
  const ready = queue.waitUntilReady().then(() => backend.requireNoEviction())
  try {
    if (await withTimeout(ready, withinMs)) return await ready.then(() => queue)
  } catch (error) {
    lastError = error as Error
  }
  backend.disconnect()
  void queue.close().catch(onError)
  throw lastError
}

function unavailableError(address: string, cause: Error): QueueUnavailableError {
  if (cause instanceof QueueUnavailableError) return cause
  const remedy = 'start it, or correct "queue" in the configuration ("queue: in-process" needs no server)'
  const reason = cause.name === 'MaxRetriesPerRequestError' ? 'the connection was lost' : cause.message
  return new QueueUnavailableError(`the queue at ${address} does not answer (${reason}): ${remedy}`, { cause })
}

interface Parts {
  backend: RedisBackend
  queue: Queue
  address: string
  concurrency: number
  timing: RunnerTiming
  log: Log
  /** Called with each error of the queue, and with null when it works. */
  onOutcome: (error: Error | null, began?: number) => void
}

class BullRunner implements JobRunner {
  readonly #parts: Parts
  readonly #running = new Set<Promise<unknown>>()
  #worker: Worker | null = null
  #closing = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async enqueue(name: JobName, payload: JobPayload, id: string): Promise<boolean> {
    parseJob(name, payload)
    return this.#call(() => addJob(this.#parts.queue, name, payload, id))
  }

  async work(handlers: JobHandlers): Promise<void> {
    const { backend, concurrency, timing, log, onOutcome } = this.#parts
    // BullMQ passes the signal only to functions with three declared parameters.
    const worker = backend.worker((job, token, signal) => this.#process(handlers, job, token, signal), {
      concurrency,
      lockDuration: timing.lock,
      stalledInterval: timing.stalledCheck,
      maxStalledCount: 3,
      runRetryDelay: timing.retry,
      removeOnComplete: RETENTION,
      removeOnFail: RETENTION,
    })
    worker.on('error', (error) => onOutcome(error))
    worker.on('active', () => onOutcome(null))
    worker.on('stalled', (id) => log.warn({ id }, 'job stalled; re-queued'))
    this.#worker = worker
    await this.#call(() => worker.waitUntilReady())
  }

  async ping(): Promise<{ ok: boolean; message: string }> {
    try {
      // A write, because a Redis that is full or became a replica still answers reads.
      await this.#call(() => this.#parts.queue.getBackend().setQueueMeta({ 'quotekeeper.ping': Date.now() }))
      this.#parts.onOutcome(null)
      return { ok: true, message: `${this.#parts.address} accepts writes` }
    } catch (error) {
      return { ok: false, message: (error as Error).message }
    }
  }

  job(id: string): Promise<JobStatus | null> {
    return this.#call(() => findJob(this.#parts.queue, id))
  }

  load(): Promise<QueueLoad> {
    return this.#call(() => readQueueLoad(this.#parts.queue))
  }

  async close(deadlineMs: number): Promise<void> {
    const { backend, queue, timing } = this.#parts
    this.#closing = true
    await this.#worker?.pause(true)
    const drain = (withinMs: number) => withTimeout(Promise.allSettled(this.#running), withinMs)
    if (!(await drain(deadlineMs))) {
      this.#worker?.cancelAllJobs('the service is shutting down')
      await drain(timing.grace)
    }
    // Forced if a job has not ended: its lock expires and another worker runs it again.
    const force = this.#running.size > 0
    await withTimeout(Promise.allSettled([this.#worker?.close(force), queue.close()]), timing.grace)
    backend.disconnect()
  }

  async #process(handlers: JobHandlers, job: Job, token = '', signal = new AbortController().signal) {
    if (this.#closing) {
      // Fetched while shutting down: returned to the queue for another worker.
      await job.moveToWait(token)
      throw new WaitingError()
    }
    const raw = { id: job.id ?? '', name: job.name, data: job.data, signal }
    const result = runJob(handlers, raw, this.#parts.log)
    this.#running.add(result)
    try {
      return await result
    } catch (error) {
      // Never retried, whatever the job's options say: only the marketplace client retries.
      throw new UnrecoverableError((error as Error).message)
    } finally {
      this.#running.delete(result)
    }
  }

  /** Calls the queue with a timeout. */
  async #call<T>(operation: () => Promise<T>): Promise<T> {
    const { address, timing, onOutcome } = this.#parts
    if (this.#closing) throw new QueueUnavailableError('the service is shutting down and accepts no more jobs')
    const began = performance.now()
    const response = operation()
    const unavailable = (error: Error) => {
      onOutcome(error, began)
      return unavailableError(address, error)
    }
    if (!(await withTimeout(response, timing.response))) throw unavailable(new Error('no response'))
    return response.catch((error: Error) => {
      throw unavailable(error)
    })
  }
}
