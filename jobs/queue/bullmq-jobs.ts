import type { Job, Queue } from 'bullmq'
import type { QueueLoad } from '../../src/core/queue-load.js'
import {
  JOB_STATES,
  type JobName,
  type JobPayload,
  type JobResult,
  type JobState,
  type JobStatus,
  type RetryOutcome,
} from '../contract.js'
import { RefusedJobError } from '../errors.js'
import { fairnessKey } from '../job-id.js'
import { retriedJob } from '../job-payload.js'

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

/**
 * Adds a failed job again, under its id. It is removed first, not retried by BullMQ, which would run it beside another job with its
 * fairness key, and count the time since it was first added as waiting.
 */
export async function retryJob(
  queue: Queue,
  id: string,
  { by, database }: { by: string; database: string | undefined },
): Promise<RetryOutcome> {
  const job = await queue.getJob(id)
  if (job === undefined) return 'unknown'
  if ((await job.getState()) !== 'failed') return 'not-failed'
  const { database: owner, data } = splitJobData(job.data)
  const retried =
    owner === undefined || owner === database ? parseRetry(job.name, data, { by, attempts: attemptsOf(job) }) : null
  if (retried === null) return 'refused'
  const { name, payload } = retried
  if (await isUnfinished(queue, await queue.getDeduplicationJobId(fairnessKey(name, payload)))) return 'same-work'
  // 0 if somebody else retried it meanwhile, and it runs.
  if ((await queue.remove(id)) === 0) return 'not-failed'
  if (await addJob(queue, name, toJobData(payload, database), id)) return 'retried'
  return (await queue.getJob(id)) === undefined ? 'same-work' : 'not-failed'
}

/** Null for a job that another program put on the queue. */
function parseRetry(...job: Parameters<typeof retriedJob>): ReturnType<typeof retriedJob> | null {
  try {
    return retriedJob(...job)
  } catch (error) {
    if (error instanceof RefusedJobError) return null
    throw error
  }
}

async function isUnfinished(queue: Queue, id: string | null): Promise<boolean> {
  if (id === null) return false
  return ['active', 'waiting', 'delayed'].includes(await queue.getJobState(id))
}

/** The jobs in a state. One that is removed meanwhile is left out. */
export async function listJobs(
  queue: Queue,
  state: JobState,
  { from, to }: { from: number; to: number },
): Promise<JobStatus[]> {
  const isFinished = state === 'completed' || state === 'failed'
  const jobs = await queue.getJobs([state], from, to - 1, !isFinished)
  return jobs.map((job) => toStatus(job, state))
}

export async function readQueueLoad(queue: Queue): Promise<QueueLoad> {
  const { waiting = 0, active = 0, delayed = 0, completed = 0, failed = 0 } = await queue.getJobCounts(...JOB_STATES)
  const [oldest] = await queue.getJobs(['waiting'], 0, 0, true)
  // Not negative: the clock of the process that added the job may be ahead.
  const oldestWaitingSeconds = oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.timestamp) / 1_000
  return { waiting, active, delayed, completed, failed, oldestWaitingSeconds }
}

function toStatus(job: Job, state: string): JobStatus {
  const { id = '', name, data, timestamp, processedOn, finishedOn, failedReason, returnvalue } = job
  return {
    ...{ id, name, payload: splitJobData(data).data as JobPayload },
    state: JOB_STATES.find((known) => known === state) ?? 'waiting',
    ...{ addedAt: isoTime(timestamp), startedAt: isoTime(processedOn), finishedAt: isoTime(finishedOn) },
    attempts: attemptsOf(job),
    error: failedReason ?? null,
    result: (returnvalue as JobResult | null | undefined) ?? null,
  }
}

function isoTime(at: number): string
function isoTime(at: number | undefined): string | null
function isoTime(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString()
}

/** How often a job was started, also before it was retried. The data comes from Redis, so its shape is not trusted. */
function attemptsOf({ data, attemptsStarted }: Job): number {
  const { attempts } = Object((Object(data) as Partial<JobData>).retried) as { attempts?: unknown }
  return attemptsStarted + (typeof attempts === 'number' ? attempts : 0)
}
