import type { JobHandlers, JobName, JobPayload, JobRunner, Log } from './contract.js'
import { QueueUnavailableError } from './errors.js'
import { fairnessKey } from './job-id.js'
import { parseJob } from './job-payload.js'
import { runJob } from './run-job.js'
import { settlesWithin } from './settles-within.js'

interface WaitingJob {
  id: string
  name: JobName
  payload: JobPayload
  key: string
  /** By `performance.now()`. */
  since: number
}

/** Ids remembered, so that a tick is not enqueued twice; many times the jobs of one tick. */
const MAX_KNOWN_IDS = 10_000
/** How long an aborted job may take to end, in milliseconds. */
const GRACE_MS = 1_000

/**
 * Runs jobs in this process; needs no server and stores nothing. A job lost in a restart is enqueued again by the next
 * tick. Several processes need Redis or PostgreSQL instead.
 * @param options.concurrency jobs that run at the same time
 */
export function createInProcessRunner(options: { concurrency: number; log: Log }): JobRunner {
  const knownIds = new Set<string>()
  const waiting: WaitingJob[] = []
  const running = new Map<string, Promise<void>>()
  const shutdown = new AbortController()
  let handlers: JobHandlers | null = null
  let closing = false

  const remember = (id: string) => {
    knownIds.add(id)
    for (const oldest of knownIds) {
      if (knownIds.size <= MAX_KNOWN_IDS) break
      knownIds.delete(oldest)
    }
  }

  const run = async (job: WaitingJob, workers: JobHandlers) => {
    await Promise.resolve() // `running` must contain this job before its handler can enqueue another.
    try {
      await runJob(workers, { id: job.id, name: job.name, data: job.payload, signal: shutdown.signal }, options.log)
    } catch {
      // Logged by runJob; the next tick enqueues the work again.
    } finally {
      running.delete(job.key)
      startWaiting()
    }
  }

  const startWaiting = () => {
    while (handlers !== null && !closing && running.size < options.concurrency) {
      const index = waiting.findIndex((job) => !running.has(job.key))
      const [job] = index === -1 ? [] : waiting.splice(index, 1)
      if (job === undefined) return
      running.set(job.key, run(job, handlers))
    }
  }

  return {
    async enqueue(name, payload, id) {
      parseJob(name, payload)
      if (closing) throw new QueueUnavailableError('the service is shutting down and accepts no more jobs')
      const key = fairnessKey(name, payload)
      if (knownIds.has(id) || waiting.some((job) => job.key === key)) return false
      remember(id)
      waiting.push({ id, name, payload, key, since: performance.now() })
      startWaiting()
      return true
    },
    async bindDatabase() {}, // No other process can use the queue.
    async checkDatabase() {
      return { ok: true, message: 'used by this process only' }
    },
    async work(workers) {
      handlers = workers
      startWaiting()
    },
    async ping() {
      return closing ? { ok: false, message: 'shutting down' } : { ok: true, message: 'jobs run in this process' }
    },
    async load() {
      const [oldest] = waiting
      const oldestWaitingSeconds = oldest === undefined ? 0 : (performance.now() - oldest.since) / 1_000
      return { waiting: waiting.length, active: running.size, delayed: 0, oldestWaitingSeconds }
    },
    async close(deadlineMs) {
      closing = true
      for (const { id, name } of waiting.splice(0)) {
        options.log.warn(
          { job: name, id },
          'waiting job dropped by shutdown; polls and closing rounds run again at their next tick',
        )
      }
      const all = Promise.all(running.values())
      if (await settlesWithin(all, deadlineMs)) return
      shutdown.abort(new Error('the service is shutting down'))
      await settlesWithin(all, GRACE_MS)
    },
  }
}
