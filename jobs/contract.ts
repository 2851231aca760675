import type { Logger } from 'pino'

/** The jobs by name; a payload names a channel, never a key. */
export const JOB_NAMES = ['poll-listings', 'poll-rfqs', 'close-expired', 'channel-report', 'rfq-report'] as const
export type JobName = (typeof JOB_NAMES)[number]

export interface JobPayload {
  channel: string
  /** rfq-report only. */
  rfqId?: string
  /** Why it runs: `tick`, `close`, `web`, … */
  cause: string
}

/** Does the work of one job. Must be safe to run again. */
export type JobHandler = (payload: JobPayload, context: { id: string; signal: AbortSignal }) => Promise<void>
export type JobHandlers = Record<JobName, JobHandler>

/**
 * A way to run jobs. Two stand behind it: BullMQ on Redis or PostgreSQL, and in this process.
 * Equal ids make one job. Jobs of the same name and channel (for an `rfq-report` also the same RFQ) never run side by
 * side, and while one of them waits another adds none: it has a lane, and a lane holds one running and one waiting job.
 */
export interface JobRunner {
  /**
   * Adds a job; resolves to false where an equal one is known already or one waits in its lane.
   * Rejects with `RefusedJobError` for a payload that no handler would take, within a few seconds with
   * `QueueUnavailableError` where the queue does not answer.
   */
  enqueue(name: JobName, payload: JobPayload, id: string): Promise<boolean>
  /** Begins to take jobs. */
  work(handlers: JobHandlers): Promise<void>
  /** Whether the queue answers and takes writes, for readiness. */
  ping(): Promise<{ ok: boolean; message: string }>
  /**
   * Stops taking jobs, waits for those under way until the deadline, then aborts their signals and gives them a moment
   * to let go. Never rejects, never waits much longer than the deadline, whatever the queue does.
   */
  close(deadlineMs: number): Promise<void>
}

/** What jobs write to: a pino logger, or anything with these four of its methods. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
