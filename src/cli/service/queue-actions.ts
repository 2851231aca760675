import type { JobPayload, JobResult, JobStatus } from '../../../jobs/contract.js'
import { RefusedJobError } from '../../../jobs/errors.js'
import { fairnessKey, jobId } from '../../../jobs/job-id.js'
import { parseJob } from '../../../jobs/job-payload.js'
import type { ServiceQueue } from '../../../jobs/service.js'
import { scrubError } from '../../core/text/secret-scrubber.js'
import type { Clock } from '../../core/time/clock.js'
import { reportName } from '../../report-files/report-folder.js'
import { reportPath } from '../../views/page-paths.js'
import type { ActionDeps, ApiQueue, JobOrder } from '../../web/api/actions.js'
import type { JobStatusView } from '../../web/api/job.js'
import type { QueueJob, QueueJobs } from '../../web/pages/operation/queue-page.js'
import type { App } from '../app.js'

/** What users put on the queue, on pages and over the API, and what they see of it. */
export interface QueueActions extends Pick<ActionDeps, 'queue' | 'closingObstacle'> {
  /** The jobs of all processes. */
  jobs: QueueJobs
}

/** What users can put on the queue, once that is open. */
export async function createQueueActions(
  { config, scrub, store }: Pick<App, 'config' | 'scrub' | 'store'>,
  now: Clock,
): Promise<(queue: ServiceQueue) => QueueActions> {
  const { createFindClosingBlocker } = await import('../../closing/closing-blockers.js')
  const closingObstacle = async (key: string) => {
    const mode = config.channels.find((channel) => channel.key === key)?.autoClose
    if (mode !== 'on' && mode !== 'dry-run') return `${key} has autoClose: off`
    return createFindClosingBlocker(config, await store())(key, now())
  }
  return (queue) => ({
    queue: createApiQueue(queue, { now, reports: config.reports.directory, scrub }),
    closingObstacle,
    jobs: createQueueJobs(queue, { reports: config.reports.directory, scrub }),
  })
}

/** More than the processes on one queue run at the same time. */
const MAX_ACTIVE = 100
/** Failed jobs that are read at once to retry all. */
const CHUNK = 500

/** The jobs of the queue as its page shows them. */
function createQueueJobs(
  queue: ServiceQueue,
  { reports, scrub }: Pick<ApiQueueOptions, 'reports' | 'scrub'>,
): QueueJobs {
  /** The newest failed job for each work, and how many failed jobs there are. */
  const newestFailed = async () => {
    const ids = new Map<string, string>()
    let failed = 0
    for (let from = 0, count = CHUNK; count === CHUNK; from += CHUNK) {
      const jobs = await queue.jobs('failed', { from, to: from + CHUNK })
      for (const job of jobs) {
        const key = keyOf(job)
        if (key !== null && !ids.has(key)) ids.set(key, job.id)
      }
      count = jobs.length
      failed += count
    }
    return { ids: [...ids.values()], failed }
  }
  return {
    load: () => queue.load(),
    jobs: async (state, range) => (await queue.jobs(state, range)).map((job) => toQueueJob(job, { reports, scrub })),
    retry: (id, by) => queue.retry(id, by),
    async retryAll(by) {
      const { ids, failed } = await newestFailed()
      let retried = 0
      for (const id of ids) if ((await queue.retry(id, by)) === 'retried') retried++
      return { retried, left: failed - retried }
    },
  }
}

function toQueueJob(
  { id, name, payload, result, ...job }: JobStatus,
  { reports, scrub }: Pick<ApiQueueOptions, 'reports' | 'scrub'>,
): QueueJob {
  // What another program put on the queue may have any form.
  const { channel, rfqId, asOf, cause, retried } = Object(payload) as Partial<Record<keyof JobPayload, unknown>>
  const { by } = Object(retried) as { by?: unknown }
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  const of = { channel: text(channel), rfqId: text(rfqId), asOf: text(asOf) }
  const report = result && namedIn(reports, result)
  const reportHref = report && reportPath(report)
  return scrubError({ id, name, ...of, cause: text(cause), retriedBy: text(by), ...job, reportHref }, scrub)
}

interface ApiQueueOptions {
  now: Clock
  /** The folder of reports; their paths are shown relative to it. */
  reports: string
  /** Removes secrets from the errors of jobs: those of libraries may quote what they were given. */
  scrub: (text: string) => string
}

/** The queue as the API uses it. */
function createApiQueue(queue: ServiceQueue, { now, reports, scrub }: ApiQueueOptions): ApiQueue {
  /** By fairness key: BullMQ does not know a job that follows a running one of the same key until that one ends. */
  const following = new Map<string, { job: JobStatusView; runningId: string }>()

  const isFollowing = async (key: string): Promise<boolean> => {
    const follower = following.get(key)
    if (follower === undefined) return false
    const [itself, running] = await Promise.all([queue.job(follower.job.job), queue.job(follower.runningId)])
    const follows = itself === null && running?.state === 'active'
    if (!follows && following.get(key) === follower) following.delete(key)
    return follows
  }

  /** The running job with a fairness key. */
  const runningJob = async (key: string): Promise<JobStatus | undefined> =>
    (await queue.jobs('active', { from: 0, to: MAX_ACTIVE })).find((job) => keyOf(job) === key)

  const known = async (id: string): Promise<JobStatusView | null> => {
    const status = await queue.job(id)
    return status === null ? null : scrubError(toView(status, reports), scrub)
  }

  return {
    newId: ({ name, payload }) => jobId(name, payload, now()),
    async enqueue(order, id) {
      const { name, payload } = order
      const key = fairnessKey(name, payload)
      // BullMQ would replace the one that follows, and forget it.
      if (await isFollowing(key)) return false
      if (!(await queue.enqueue(name, payload, id))) return false
      const running = (await queue.job(id)) === null ? await runningJob(key) : undefined
      if (running !== undefined) following.set(key, { job: waitingJob(order, id, now()), runningId: running.id })
      return true
    },
    async status(id) {
      const found = await known(id)
      if (found !== null) return found
      const [key, follower] = [...following].find(([, { job }]) => job.job === id) ?? []
      if (key === undefined || follower === undefined) return null
      // Once more, because the job that it follows may have ended meanwhile.
      return (await isFollowing(key)) ? follower.job : known(id)
    },
  }
}

/** Null for a job that another program put on the queue, whose payload may have any form. */
function keyOf(job: JobStatus): string | null {
  try {
    const { name, payload } = parseJob(job.name, job.payload)
    return fairnessKey(name, payload)
  } catch (error) {
    if (error instanceof RefusedJobError) return null
    throw error
  }
}

const workOf = ({ channel, rfqId, asOf }: JobOrder['payload']) => ({
  ...{ channel, rfqId: rfqId ?? null, asOf: asOf ?? null },
})

const waitingJob = ({ name, payload }: JobOrder, job: string, at: Date): JobStatusView => ({
  ...{ job, name, ...workOf(payload), state: 'waiting' },
  ...{ addedAt: at.toISOString(), finishedAt: null, error: null, report: null, reportHref: null },
})

function toView({ id, name, payload, result, ...status }: JobStatus, reports: string): JobStatusView {
  const { state, addedAt, finishedAt, error } = status
  const job = { job: id, name, ...workOf(payload) }
  const report = result && namedIn(reports, result)
  const reportHref = report && reportPath(report)
  return { ...job, state: state === 'delayed' ? 'waiting' : state, addedAt, finishedAt, error, report, reportHref }
}

/** The report of a job in the report folder, or null. Jobs of earlier versions have its path only. */
const namedIn = (reports: string, { report, file }: JobResult): string | null =>
  report === undefined ? reportName(reports, file) : report
