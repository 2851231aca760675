import { isAbsolute, relative, sep } from 'node:path'
import type { JobStatus } from '../../../jobs/contract.js'
import { jobId } from '../../../jobs/job-id.js'
import type { ServiceQueue } from '../../../jobs/service.js'
import type { Clock } from '../../domain/clock.js'
import { reportPath } from '../../read-models/page-paths.js'
import type { ActionDeps, ApiQueue, JobOrder } from '../../web/api/actions.js'
import type { JobStatusView } from '../../web/api/schemas/index.js'
import type { QueueDeps, QueueJob } from '../../web/pages/queue-page.js'
import type { App } from '../app.js'

/** What users put on the queue, on pages and over the API, and what they see of it. */
export interface QueueActions extends Pick<ActionDeps, 'queue' | 'closingObstacle'> {
  /** The jobs of all processes. */
  jobs: QueueDeps['jobs']
}

/** What users can put on the queue, once that is open. */
export async function createQueueActions(
  { config, scrub }: Pick<App, 'config' | 'scrub'>,
  now: Clock,
): Promise<(queue: ServiceQueue) => QueueActions> {
  const { closingKillSwitch } = await import('../../closing/kill-switch.js')
  const killSwitch = closingKillSwitch(config)
  const closingObstacle = (key: string) => {
    const mode = config.channels.find((channel) => channel.key === key)?.autoClose
    return mode === 'on' || mode === 'dry-run' ? killSwitch() : `${key} has autoClose: off`
  }
  return (queue) => ({
    queue: createApiQueue(queue, { now, reports: config.reports.directory, scrub }),
    closingObstacle,
    async jobs() {
      const [jobs, load] = await Promise.all([queue.jobs(MAX_LISTED), queue.load()])
      return { load, jobs: jobs.map((job) => toQueueJob(job, scrub)) }
    },
  })
}

/** Jobs of each state that the page of the queue lists. */
const MAX_LISTED = 500

function toQueueJob({ id, name, payload, ...job }: JobStatus, scrub: (text: string) => string): QueueJob {
  // What another program put on the queue may have any form.
  const { channel = null, rfqId = null, cause = null } = Object(payload) as Partial<JobStatus['payload']>
  const { state, addedAt, finishedAt, error } = job
  return { id, name, channel, rfqId, cause, state, addedAt, finishedAt, error: error === null ? null : scrub(error) }
}

/** Accepted jobs that are remembered: BullMQ does not know a job that follows a running one of the same kind. */
const MAX_ACCEPTED = 1_000

interface ApiQueueOptions {
  now: Clock
  /** The folder of reports; their paths are shown relative to it. */
  reports: string
  /** Removes secrets from the errors of jobs: those of libraries may quote what they were given. */
  scrub: (text: string) => string
}

/** The queue as the API uses it. */
function createApiQueue(queue: ServiceQueue, { now, reports, scrub }: ApiQueueOptions): ApiQueue {
  const accepted = new Map<string, JobStatusView>()
  return {
    newId: ({ name, payload }) => jobId(name, payload, now()),
    async enqueue(order, id) {
      const isAdded = await queue.enqueue(order.name, order.payload, id)
      if (isAdded) accepted.set(id, waitingJob(order, id, now()))
      for (const oldest of accepted.keys()) {
        if (accepted.size <= MAX_ACCEPTED) break
        accepted.delete(oldest)
      }
      return isAdded
    },
    async status(id) {
      const status = await queue.job(id)
      if (status === null) return accepted.get(id) ?? null
      return { ...toView(status, reports), error: status.error === null ? null : scrub(status.error) }
    },
  }
}

const workOf = ({ channel, rfqId, asOf, format }: JobOrder['payload']) => ({
  ...{ channel, rfqId: rfqId ?? null, asOf: asOf ?? null, format: format ?? null },
})

const waitingJob = ({ name, payload }: JobOrder, job: string, at: Date): JobStatusView => ({
  ...{ job, name, ...workOf(payload), state: 'waiting' },
  ...{ addedAt: at.toISOString(), finishedAt: null, error: null, report: null, reportHref: null },
})

function toView({ id, name, payload, result, ...status }: JobStatus, reports: string): Omit<JobStatusView, 'error'> {
  const { state, addedAt, finishedAt } = status
  const job = { job: id, name, ...workOf(payload) }
  const report = result === null ? null : below(reports, result.file)
  const reportHref = report && reportPath(report)
  return { ...job, state, addedAt, finishedAt, report, reportHref }
}

/** The path of a file below a folder, with slashes; null if it is elsewhere. */
function below(folder: string, file: string): string | null {
  const path = relative(folder, file)
  return path.startsWith('..') || isAbsolute(path) ? null : path.split(sep).join('/')
}
