import type { Job, JobType, Queue } from 'bullmq'
import type { QueueLoad } from '../../src/core/queue-load.js'
import { JOB_STATES, type JobName, type JobPayload, type JobResult, type JobStatus } from '../contract.js'
import { fairnessKey } from '../job-id.js'

/** The data of a job in Redis: its payload, and the id of the database it belongs to. */
type JobData = JobPayload & { database?: string }

export const toJobData = (payload: JobPayload, database: string | undefined): JobData =>
  database === undefined ? payload : { ...payload, database }

/** The inverse of `toJobData`. The data comes from Redis, so its shape is not trusted. */
export function splitJobData(jobData: unknown): { database: string | undefined; data: unknown } {
  const { database, ...data } = Object(jobData) as { database?: unknown }
  return typeof database === 'string' ? { database, data } : { database: undefined, data: jobData }
}

/** Adds a job unless its id is known or another one with its fairness key is waiting. */
export async function addJob(queue: Queue, name: JobName, data: JobData, id: string): Promise<boolean> {
  const deduplication = { id: fairnessKey(name, data), keepLastIfActive: true }
  if (await queue.getJob(id)) return false
  let runningId: string | undefined
  for (let attempt = 0; attempt < 4; attempt++) {
    const added = await queue.add(name, data, { jobId: id, deduplication, attempts: 1, stackTraceLimit: 1 })
    if (added.id === id) return true
    // Another job has the fairness key. If it was already active in the previous attempt, BullMQ keeps ours and runs it next.
    if (added.id === runningId) return true
    const other = added.id === undefined ? undefined : await queue.getJob(added.id)
    const state = await other?.getState()
    if (state === 'active') runningId = added.id
    else if (state === 'completed' || state === 'failed') await other?.removeDeduplicationKey()
    else return false
  }
  return false
}

/** The status of a job; null if there is no job with this id. */
export async function findJob(queue: Queue, id: string): Promise<JobStatus | null> {
  const job = await queue.getJob(id)
  return job === undefined ? null : toStatus(job, await job.getState())
}

/** The newest jobs, at most `limit` per state. */
export async function listJobs(queue: Queue, limit: number): Promise<JobStatus[]> {
  const found = await Promise.all(
    JOB_STATES.map(async (state) => ({
      state,
      jobs: await queue.getJobs(TYPES_OF_STATE[state], 0, limit - 1, false),
    })),
  )
  // A job whose state changes between these reads may be listed twice; one that is removed is listed as undefined.
  const statuses = found.flatMap(({ state, jobs }) =>
    jobs.slice(0, limit).flatMap((job) => (job ? [toStatus(job, state)] : [])),
  )
  return [...new Map(statuses.map((status) => [status.id, status])).values()]
}

export async function readQueueLoad(queue: Queue): Promise<QueueLoad> {
  const { waiting = 0, active = 0, delayed = 0 } = await queue.getJobCounts('waiting', 'active', 'delayed')
  const [oldest] = await queue.getJobs(['waiting'], 0, 0, true)
  // Not negative: the clock of the process that added the job may be ahead.
  const oldestWaitingSeconds = oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.timestamp) / 1_000
  return { waiting, active, delayed, oldestWaitingSeconds }
}

/** Delayed jobs count as waiting, such as those that a worker put back for another one. */
const TYPES_OF_STATE: Readonly<Record<JobStatus['state'], JobType[]>> = {
  active: ['active'],
  waiting: ['waiting', 'delayed'],
  completed: ['completed'],
  failed: ['failed'],
}

function toStatus(job: Job, state: string): JobStatus {
  const { id = '', name, data, timestamp, finishedOn, failedReason, returnvalue } = job
  return {
    ...{ id, name, payload: splitJobData(data).data as JobPayload },
    state: state === 'active' || state === 'completed' || state === 'failed' ? state : 'waiting',
    addedAt: new Date(timestamp).toISOString(),
    finishedAt: finishedOn === undefined ? null : new Date(finishedOn).toISOString(),
    error: failedReason ?? null,
    result: (returnvalue as JobResult | null | undefined) ?? null,
  }
}
