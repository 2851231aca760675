import type { Logger } from 'pino'
import { z } from 'zod'
import { MAX_IDENTIFIER_LENGTH } from '../src/core/documents/identifier.js'
import type { QueueLoad } from '../src/core/queue-load.js'
import type { Timestamp } from '../src/core/time/clock.js'
import type { ActivityMetrics } from '../src/metrics/activity-metrics.js'

export const JOB_NAMES = ['poll-listings', 'poll-rfqs', 'close-expired', 'channel-report', 'rfq-report'] as const
export type JobName = (typeof JOB_NAMES)[number]

/** Contains no API key: a handler looks the channel up in its own configuration. */
export const jobPayload = z.strictObject({
  channel: z.string().max(500).regex(/\//, 'is not org/slug'),
  /** Of rfq-report: its RFQ. Of close-expired: closes only this RFQ, if it qualifies. */
  rfqId: z.string().min(1).max(MAX_IDENTIFIER_LENGTH).exactOptional(),
  /** Of reports: the as-of time. Default: when the job runs. */
  asOf: z.iso.datetime().exactOptional(),
  /** Why the job was enqueued: `tick`, `start`, `closing round`, `page ana`, … */
  cause: z.string().min(1).max(100),
})
export type JobPayload = z.output<typeof jobPayload>

export const JOB_STATES = ['active', 'waiting', 'completed', 'failed'] as const
type JobState = (typeof JOB_STATES)[number]

/** The state of a job, and how it ended. */
export interface JobStatus {
  id: string
  name: JobName
  payload: JobPayload
  state: JobState
  addedAt: Timestamp
  finishedAt: Timestamp | null
  /** Why it failed. */
  error: string | null
  /** The path of the report that it wrote, in the report folder of any process, with `/`; null if it is elsewhere, or there is none. */
  report: string | null
}

/** Runs one job. Must be safe to repeat. Resolves to the report that it wrote, as in its status. */
export type JobHandler = (payload: JobPayload, context: { id: string; signal: AbortSignal }) => Promise<string | null>
export type JobHandlers = Record<JobName, JobHandler>

/**
 * Runs jobs: on BullMQ with Redis, or in this process. At most one job for the same work (name, channel, RFQ and as-of time) waits or runs.
 */
export interface JobRunner {
  /**
   * Adds a job.
   * @returns its id; null if one for the same work waits or runs
   * @throws RefusedJobError for an invalid payload; QueueUnavailableError if the queue does not answer within seconds
   */
  enqueue(name: JobName, payload: JobPayload): Promise<string | null>
  /** Starts taking jobs. */
  work(handlers: JobHandlers): Promise<void>
  /**
   * The state of a job, and how it ended. Finished ones are kept for a while.
   * @returns null if the queue does not know it
   * @throws QueueUnavailableError
   */
  job(id: string): Promise<JobStatus | null>
  /**
   * How many jobs are in each state.
   * @throws QueueUnavailableError also if the queue answers, but accepts no writes
   */
  load(): Promise<QueueLoad>
  /**
   * Stops taking jobs, waits for running jobs until the deadline (milliseconds), then aborts them. Never rejects, and
   * returns shortly after the deadline even if the queue hangs.
   */
  close(deadlineMs: number): Promise<void>
}

/** Observes the jobs of this process. */
export type JobObserver = Pick<ActivityMetrics, 'runEnded' | 'runFailed' | 'reportEnded'>

/** What jobs log to: a pino logger, or any object with these methods. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
