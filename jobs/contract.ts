import type { Logger } from 'pino'

export const JOB_NAMES = ['poll-listings', 'poll-rfqs', 'close-expired', 'channel-report', 'rfq-report'] as const
export type JobName = (typeof JOB_NAMES)[number]

/** Contains no API key: a handler looks the channel up in its own configuration. */
export interface JobPayload {
  /** `org/slug`. */
  channel: string
  /** rfq-report only. */
  rfqId?: string
  /** Why the job was enqueued: `tick`, `start`, `close`, `web`, … */
  cause: string
}

/** Runs one job. Must be safe to repeat. */
export type JobHandler = (payload: JobPayload, context: { id: string; signal: AbortSignal }) => Promise<void>
export type JobHandlers = Record<JobName, JobHandler>

/**
 * Runs jobs: on BullMQ (Redis or PostgreSQL), or in this process. Jobs with equal ids are one job. Jobs with the same
 * fairness key (name and channel; for `rfq-report` also the RFQ) never run at the same time, and at most one of them
 * waits.
 */
export interface JobRunner {
  /**
   * Adds a job.
   * @returns false if a job with this id is known or one with the same fairness key is waiting
   * @throws RefusedJobError for an invalid payload; QueueUnavailableError if the queue does not answer within seconds
   */
  enqueue(name: JobName, payload: JobPayload, id: string): Promise<boolean>
  /** Starts taking jobs. */
  work(handlers: JobHandlers): Promise<void>
  /** Whether the queue answers and accepts writes, for readiness. */
  ping(): Promise<{ ok: boolean; message: string }>
  /**
   * Stops taking jobs, waits for running jobs until the deadline (milliseconds), then aborts them. Never rejects, and
   * returns shortly after the deadline even if the queue hangs.
   */
  close(deadlineMs: number): Promise<void>
}

/** What jobs log to: a pino logger, or any object with these methods. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
