import { randomUUID } from 'node:crypto'
import { type Job, Queue, UnrecoverableError, WaitingError, Worker } from 'bullmq'
import { Redis, type RedisOptions } from 'ioredis'
import { withTimeout } from '../../src/core/async.js'
import {
  JOB_STATES,
  type JobHandlers,
  type JobName,
  type JobPayload,
  type JobRunner,
  type JobStatus,
  type Log,
} from '../contract.js'
import { QueueUnavailableError } from '../errors.js'
import { parseJob, runJob, workKey } from '../job.js'
import { createOutageLog } from '../outage-log.js'

export interface BullRunnerOptions {
  /** URL of the Redis server. */
  url: string
  /** Prefix of all keys, with a part in braces, so that a cluster keeps them on one node. */
  prefix: string
  /** Jobs that run at the same time in this process. */
  concurrency: number
  log: Log
  /** Only tests override it. */
  timing?: Partial<typeof TIMING>
}

/** The name of the only queue, without the prefix. */
const QUEUE_NAME = 'jobs'

/** Intervals and timeouts, in milliseconds. */
const TIMING = {
  /** A job whose worker has not renewed its lock for this long is stalled; the next check re-queues it. */
  lock: 30_000,
  stalledCheck: 10_000,
  /** Pause of a worker after a queue error. */
  retry: 2_000,
  /** How long to wait for the queue at start-up. */
  start: 5_000,
  /** How long to wait for the queue to respond to one operation. */
  response: 4_000,
  /** How long an aborted job may take to end, and then BullMQ to record what finished. */
  grace: 1_000,
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
  const timing = { ...TIMING, ...options.timing }
  const address = queueAddress(url)
  const logOutage = createOutageLog(log, `the queue at ${address}`)
  /** Called with each error of the queue, and with null when it works. */
  const onOutcome: typeof logOutage = (error, began) =>
    void (LOST_LOCK.test(error?.message ?? '') || logOutage(error, began))
  const connections = createConnections(url, () => onOutcome(null))
  const producer = connections.open({ maxRetriesPerRequest: 2, commandTimeout: timing.response })
  const queue = new Queue(QUEUE_NAME, { connection: producer, prefix })
  let lastError = new Error('no response')
  queue.on('error', (error) => {
    lastError = error
    onOutcome(error)
  })
  const running = new Set<Promise<unknown>>()
  let worker: Worker | null = null
  let isClosing = false

  const started = queue.waitUntilReady().then(() => requireNoEviction(producer, address))
  try {
    if (!(await withTimeout(started, timing.start))) throw lastError
    await started
  } catch (error) {
    connections.end()
    void queue.close().catch(onOutcome)
    throw unavailableError(address, error as Error)
  }

  /** Calls the queue with a timeout. */
  async function call<T>(operation: () => Promise<T>): Promise<T> {
    if (isClosing) throw new QueueUnavailableError('the service is shutting down and accepts no more jobs')
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

  async function run(handlers: JobHandlers, job: Job, token = '', signal = new AbortController().signal) {
    if (isClosing) {
      // Fetched while shutting down: returned to the queue for another worker.
      await job.moveToWait(token)
      throw new WaitingError()
    }
    const result = runJob(handlers, { id: job.id ?? '', name: job.name, data: job.data, signal }, log)
    running.add(result)
    try {
      return await result
    } catch (error) {
      // Never retried, whatever the job's options say: only the marketplace client retries.
      throw new UnrecoverableError((error as Error).message)
    } finally {
      running.delete(result)
    }
  }

  return {
    async enqueue(name, payload) {
      parseJob(name, payload)
      return call(() => addJob(queue, name, payload))
    },

    async work(handlers) {
      // BullMQ passes the signal only to functions with three declared parameters.
      const opened = new Worker(QUEUE_NAME, (job, token, signal) => run(handlers, job, token, signal), {
        ...{ connection: connections.open({ maxRetriesPerRequest: null }), prefix, concurrency },
        lockDuration: timing.lock,
        stalledInterval: timing.stalledCheck,
        maxStalledCount: 3,
        runRetryDelay: timing.retry,
        removeOnComplete: RETENTION,
        removeOnFail: RETENTION,
      })
      opened.on('error', (error) => onOutcome(error))
      opened.on('active', () => onOutcome(null))
      opened.on('stalled', (id) => log.warn({ id }, 'job stalled; re-queued'))
      worker = opened
      await call(() => opened.waitUntilReady())
    },

    job: (id) =>
      call(async () => {
        const job = await queue.getJob(id)
        return job === undefined ? null : toStatus(job, await job.getState())
      }),

    load: () =>
      call(async () => {
        // A write, because a Redis that is full or became a replica still answers reads.
        await queue.getBackend().setQueueMeta({ 'quotekeeper.ping': Date.now() })
        onOutcome(null)
        const { waiting = 0, active = 0 } = await queue.getJobCounts('waiting', 'active')
        const [oldest] = await queue.getJobs(['waiting'], 0, 0, true)
        // Not negative: the clock of the process that added the job may be ahead.
        const oldestWaitingSeconds = oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.timestamp) / 1_000
        return { waiting, active, oldestWaitingSeconds }
      }),

    async close(deadlineMs) {
      isClosing = true
      await worker?.pause(true)
      const drain = (withinMs: number) => withTimeout(Promise.allSettled(running), withinMs)
      if (!(await drain(deadlineMs))) {
        worker?.cancelAllJobs('the service is shutting down')
        await drain(timing.grace)
      }
      // Forced if a job has not ended: its lock expires and another worker runs it again.
      await withTimeout(Promise.allSettled([worker?.close(running.size > 0), queue.close()]), timing.grace)
      connections.end()
    },
  }
}

function unavailableError(address: string, cause: Error): QueueUnavailableError {
  if (cause instanceof QueueUnavailableError) return cause
  const remedy = 'start it, or correct "queue" in the configuration ("queue: in-process" needs no server)'
  const reason = cause.name === 'MaxRetriesPerRequestError' ? 'the connection was lost' : cause.message
  return new QueueUnavailableError(`the queue at ${address} does not answer (${reason}): ${remedy}`, { cause })
}

/** @returns the id of the job; null if another one for the same work waits or runs */
async function addJob(queue: Queue, name: JobName, payload: JobPayload): Promise<string | null> {
  const id = randomUUID()
  const deduplication = { id: workKey(name, payload) }
  for (let attempt = 0; attempt < 3; attempt++) {
    const added = await queue.add(name, payload, { jobId: id, deduplication, attempts: 1, stackTraceLimit: 1 })
    if (added.id === id) return id
    // The other job may have ended meanwhile.
    const other = added.id === undefined ? undefined : await queue.getJob(added.id)
    const state = await other?.getState()
    if (state !== 'completed' && state !== 'failed') return null
    await other?.removeDeduplicationKey()
  }
  return null
}

function toStatus(job: Job, state: string): JobStatus {
  const { id = '', name, data, timestamp, finishedOn, failedReason, returnvalue } = job
  return {
    ...{ id, name: name as JobName, payload: data as JobPayload },
    state: JOB_STATES.find((known) => known === state) ?? 'waiting',
    addedAt: new Date(timestamp).toISOString(),
    finishedAt: finishedOn === undefined ? null : new Date(finishedOn).toISOString(),
    error: failedReason ?? null,
    report: typeof returnvalue === 'string' ? returnvalue : null,
  }
}

/** @throws QueueUnavailableError with the remedy if Redis may delete jobs when its memory is full */
async function requireNoEviction(client: Redis, address: string): Promise<void> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await client.info('memory'))?.[1] ?? 'noeviction'
  if (policy === 'noeviction') return
  throw new QueueUnavailableError(
    `the queue at ${address} may lose jobs, because Redis deletes keys when its memory is full (maxmemory-policy ${policy}): ` +
      'set maxmemory-policy to noeviction in the configuration of Redis',
  )
}

/**
 * Opens connections to Redis, of two kinds: commands of a producer fail after a timeout; commands of a worker wait until Redis is available
 * again, as BullMQ requires.
 */
function createConnections(url: string, onReady: () => void) {
  const clients: Redis[] = []
  const track = (client: Redis): Redis => {
    clients.push(client)
    // BullMQ reports errors, but removes its listener when it closes; ioredis prints errors that nobody listens to.
    client.on('error', () => undefined)
    return client.on('ready', onReady)
  }
  return {
    open(options: Pick<RedisOptions, 'maxRetriesPerRequest' | 'commandTimeout'>): Redis {
      const client = new Redis(url, { ...RECONNECT_OPTIONS, ...options, replyMapping: 'legacy' })
      const duplicate = client.duplicate.bind(client)
      // BullMQ duplicates the client for its blocking connection; track that one too, so that `end` ends it.
      return track(
        Object.assign(client, { duplicate: (override?: RedisOptions) => track(duplicate(override) as Redis) }),
      )
    },
    /** Ends every connection at once, without waiting for replies, and without BullMQ reconnecting one whose server hung. */
    end() {
      for (const client of clients) {
        client.options.retryStrategy = () => null
        client.connect = () => Promise.reject(new Error('Connection is closed.'))
        client.disconnect()
      }
    },
  }
}

const RECONNECT_OPTIONS = {
  connectTimeout: 5_000,
  /** Short, because a hanging server does not confirm the end of a connection either. */
  disconnectTimeout: 200,
  retryStrategy: (times: number) => Math.min(100 * 2 ** times, 3_000) * (0.75 + Math.random() / 2),
  /** After a fail-over the old master is read-only: reconnect, then resend the command (2). */
  reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? 2 : false),
} satisfies RedisOptions

/** The address of a queue without user and password, for messages. */
function queueAddress(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}
