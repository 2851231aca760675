import type { Job, Queue } from 'bullmq'
import type { QueueLoad } from '../../src/core/queue-load.js'
import { JOB_STATES, type JobName, type JobPayload, type JobResult, type JobStatus } from '../contract.js'
import { fairnessKey } from '../job-id.js'

/** Adds a job unless its id is known, or another one with its fairness key waits or runs. */
export async function addJob(queue: Queue, name: JobName, payload: JobPayload, id: string): Promise<boolean> {
  const deduplication = { id: fairnessKey(name, payload) }
  if (await queue.getJob(id)) return false
  for (let attempt = 0; attempt < 3; attempt++) {
    const added = await queue.add(name, payload, { jobId: id, deduplication, attempts: 1, stackTraceLimit: 1 })
    if (added.id === id) return true
    // Another job has the fairness key. It may have ended meanwhile.
    const other = added.id === undefined ? undefined : await queue.getJob(added.id)
    const state = await other?.getState()
    if (state !== 'completed' && state !== 'failed') return false
    await other?.removeDeduplicationKey()
  }
  return false
}

/** The status of a job; null if there is no job with this id. */
export async function findJob(queue: Queue, id: string): Promise<JobStatus | null> {
  const job = await queue.getJob(id)
  return job === undefined ? null : toStatus(job, await job.getState())
}

export async function readQueueLoad(queue: Queue): Promise<QueueLoad> {
  const { waiting = 0, active = 0, delayed = 0 } = await queue.getJobCounts('waiting', 'active', 'delayed')
  const [oldest] = await queue.getJobs(['waiting'], 0, 0, true)
  // Not negative: the clock of the process that added the job may be ahead.
  const oldestWaitingSeconds = oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.timestamp) / 1_000
  return { waiting, active, delayed, oldestWaitingSeconds }
}

function toStatus(job: Job, state: string): JobStatus {
  const { id = '', name, data, timestamp, finishedOn, failedReason, returnvalue } = job
  return {
    ...{ id, name, payload: data as JobPayload },
    state: JOB_STATES.find((known) => known === state) ?? 'waiting',
    ...{ addedAt: isoTime(timestamp), finishedAt: isoTime(finishedOn) },
    error: failedReason ?? null,
    result: (returnvalue as JobResult | null | undefined) ?? null,
  }
}

function isoTime(at: number): string
function isoTime(at: number | undefined): string | null
function isoTime(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString()
}
