import type { JobHandlers, JobName, JobPayload, JobRunner, Log } from './contract.js'
import { QueueUnavailableError } from './errors.js'
import { fairnessKey } from './job-id.js'
import { parseJob } from './job-payload.js'
import { runJob } from './run-job.js'
import { settlesWithin } from './settles-within.js'

interface Waiting {
  id: string
  name: JobName
  payload: JobPayload
  lane: string
}

/** Ids remembered, so that one tick makes one job: far more than one tick of the largest installation. */
const REMEMBERED = 10_000
/** How long an aborted job may take to let go, in milliseconds. */
const GRACE_MS = 1_000

/**
 * Runs jobs in this process, with nothing installed and nothing stored: what matters is in the database, and the next
 * tick finds it. Not a queue: whatever needs one (several processes, jobs that outlive a restart) asks for Redis.
 * @param options.concurrency jobs under way at once
 */
export function createInProcessRunner(options: { concurrency: number; log: Log }): JobRunner {
  const known = new Set<string>()
  const waiting: Waiting[] = []
  const underWay = new Map<string, Promise<void>>()
  const stopping = new AbortController()
  let handlers: JobHandlers | null = null
  let closing = false

  const remember = (id: string) => {
    known.add(id)
    for (const oldest of known) {
      if (known.size <= REMEMBERED) break
      known.delete(oldest)
    }
  }

  const run = async (job: Waiting, workers: JobHandlers) => {
    await Promise.resolve() // A handler that enqueues must find its own lane taken.
    try {
      await runJob(workers, { id: job.id, name: job.name, data: job.payload, signal: stopping.signal }, options.log)
    } catch {
      // Told by perform; a job that failed here is found again by the next tick.
    } finally {
      underWay.delete(job.lane)
      takeNext()
    }
  }

  const takeNext = () => {
    while (handlers !== null && !closing && underWay.size < options.concurrency) {
      const index = waiting.findIndex((job) => !underWay.has(job.lane))
      const [job] = index === -1 ? [] : waiting.splice(index, 1)
      if (job === undefined) return
      underWay.set(job.lane, run(job, handlers))
    }
  }

  return {
    async enqueue(name, payload, id) {
      parseJob(name, payload)
      if (closing) throw new QueueUnavailableError('the service is shutting down and takes no more jobs')
      const itsLane = fairnessKey(name, payload)
      if (known.has(id) || waiting.some((job) => job.lane === itsLane)) return false
      remember(id)
      waiting.push({ id, name, payload, lane: itsLane })
      takeNext()
      return true
    },
    async work(workers) {
      handlers = workers
      takeNext()
    },
    async ping() {
      return closing ? { ok: false, message: 'shutting down' } : { ok: true, message: 'jobs run in this process' }
    },
    async close(deadlineMs) {
      closing = true
      for (const { id, name } of waiting.splice(0)) {
        options.log.warn(
          { job: name, id },
          'not begun before the end, and not kept: a poll or close comes with its next tick',
        )
      }
      const all = Promise.all(underWay.values())
      if (await settlesWithin(all, deadlineMs)) return
      stopping.abort(new Error('the service is shutting down'))
      await settlesWithin(all, GRACE_MS)
    },
  }
}
