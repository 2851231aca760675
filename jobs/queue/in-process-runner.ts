import { randomUUID } from 'node:crypto'
import { withTimeout } from '../../src/core/async.js'
import type { JobHandlers, JobName, JobPayload, JobRunner, JobStatus, Log } from '../contract.js'
import { QueueUnavailableError } from '../errors.js'
import { parseJob, runJob, workKey } from '../job.js'

interface WaitingJob {
  id: string
  name: JobName
  payload: JobPayload
  key: string
  /** By `performance.now()`. */
  since: number
}

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
  const waiting: WaitingJob[] = []
  const running = new Map<string, Promise<void>>()
  const shutdown = new AbortController()
  let handlers: JobHandlers | null = null
  let closing = false

  const update = (id: string, changes: Partial<JobStatus>) => {
    const status = known.get(id)
    if (status) known.set(id, { ...status, ...changes })
  }
  const finish = (id: string, end: Pick<JobStatus, 'state'> & Partial<JobStatus>) =>
    update(id, { ...end, finishedAt: new Date().toISOString() })

  const run = async (job: WaitingJob, workers: JobHandlers) => {
    await Promise.resolve() // `running` must contain this job before its handler can enqueue another.
    update(job.id, { state: 'active' })
    const raw = { id: job.id, name: job.name, data: job.payload, signal: shutdown.signal }
    try {
      finish(job.id, { state: 'completed', report: await runJob(workers, raw, options.log) })
    } catch (error) {
      // Logged by runJob; the next tick enqueues the work again.
      finish(job.id, { state: 'failed', error: (error as Error).message })
    } finally {
      running.delete(job.key)
      startWaiting()
    }
  }

  const startWaiting = () => {
    while (handlers !== null && !closing && running.size < options.concurrency) {
      const job = waiting.shift()
      if (job === undefined) return
      running.set(job.key, run(job, handlers))
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
      if (running.has(key) || waiting.some((job) => job.key === key)) return null
      const id = randomUUID()
      const addedAt = new Date().toISOString()
      known.set(id, { id, name, payload, state: 'waiting', addedAt, finishedAt: null, error: null, report: null })
      for (const oldest of known.keys()) {
        if (known.size <= MAX_KNOWN_JOBS) break
        known.delete(oldest)
      }
      waiting.push({ id, name, payload, key, since: performance.now() })
      startWaiting()
      return id
    },
    async work(workers) {
      handlers = workers
      startWaiting()
    },
    async job(id) {
      return known.get(id) ?? null
    },
    async load() {
      refuseIfClosing()
      const [oldest] = waiting
      const oldestWaitingSeconds = oldest === undefined ? 0 : (performance.now() - oldest.since) / 1_000
      return { waiting: waiting.length, active: running.size, oldestWaitingSeconds }
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
      if (await withTimeout(all, deadlineMs)) return
      shutdown.abort(new Error('the service is shutting down'))
      await withTimeout(all, GRACE_MS)
    },
  }
}
