import { randomUUID } from 'node:crypto'
import { withTimeout } from '../../src/core/async.js'
import type { JobHandlers, JobRunner, JobStatus, Log } from '../contract.js'
import { QueueUnavailableError } from '../errors.js'
import { parseJob, runJob, workKey } from '../job.js'

/** Number of finished jobs kept, for their status. */
const MAX_KNOWN_JOBS = 1_000
/** How long an aborted job may take to end, in milliseconds. */
const GRACE_MS = 1_000

/**
 * Runs jobs in this process; needs no server and stores nothing. A job lost in a restart is enqueued again by the next
 * tick. Several processes need Redis instead.
 * @param options.concurrency jobs that run at the same time
 */
export function createInProcessRunner(options: { concurrency: number; log: Log }): JobRunner {
  /** The newest jobs, finished ones too. */
  const known = new Map<string, JobStatus>()
  /** Both by what identifies the work. */
  const waiting = new Map<string, JobStatus>()
  const running = new Map<string, Promise<void>>()
  const shutdown = new AbortController()
  let handlers: JobHandlers | null = null
  let closing = false

  const run = async (key: string, job: JobStatus, workers: JobHandlers) => {
    await Promise.resolve() // `running` must contain this job before its handler can enqueue another.
    const { id, name, payload: data } = job
    job.state = 'active'
    try {
      job.report = await runJob(workers, { id, name, data, signal: shutdown.signal }, options.log)
      job.state = 'completed'
    } catch (error) {
      // Logged by runJob; the next tick enqueues the work again.
      job.error = (error as Error).message
      job.state = 'failed'
    } finally {
      job.finishedAt = new Date().toISOString()
      running.delete(key)
      startWaiting()
    }
  }

  const startWaiting = () => {
    for (const [key, job] of waiting) {
      if (handlers === null || closing || running.size >= options.concurrency) return
      waiting.delete(key)
      running.set(key, run(key, job, handlers))
    }
  }

  const refuseIfClosing = () => {
    if (closing) throw new QueueUnavailableError('the service is shutting down and accepts no more jobs')
  }

  return {
    async enqueue(name, payload) {
      parseJob(name, payload)
      refuseIfClosing()
      const key = workKey(name, payload)
      if (running.has(key) || waiting.has(key)) return null
      const id = randomUUID()
      const addedAt = new Date().toISOString()
      const ended = { finishedAt: null, error: null, report: null }
      const job: JobStatus = { id, name, payload, state: 'waiting', addedAt, ...ended }
      known.set(id, job)
      for (const oldest of known.keys()) {
        if (known.size <= MAX_KNOWN_JOBS) break
        known.delete(oldest)
      }
      waiting.set(key, job)
      startWaiting()
      return id
    },
    async work(workers) {
      handlers = workers
      startWaiting()
    },
    async job(id) {
      const job = known.get(id)
      return job === undefined ? null : { ...job }
    },
    async load() {
      refuseIfClosing()
      const [oldest] = waiting.values()
      const oldestWaitingSeconds = oldest === undefined ? 0 : (Date.now() - Date.parse(oldest.addedAt)) / 1_000
      return { waiting: waiting.size, active: running.size, oldestWaitingSeconds }
    },
    async close(deadlineMs) {
      closing = true
      for (const { id, name } of waiting.values()) {
        options.log.warn(
          { job: name, id },
          'waiting job dropped by shutdown; polls and closing rounds run again at their next tick',
        )
      }
      waiting.clear()
      const all = Promise.all(running.values())
      if (await withTimeout(all, deadlineMs)) return
      shutdown.abort(new Error('the service is shutting down'))
      await withTimeout(all, GRACE_MS)
    },
  }
}
