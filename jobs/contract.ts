/** The jobs by name; a payload names a channel, never a key. */
export type JobName = 'poll-listings' | 'poll-rfqs' | 'close-expired' | 'channel-report' | 'rfq-report'

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
 * Equal ids make one job; while a job of the same name and channel waits, another tick adds none.
 */
export interface JobRunner {
  /** Adds a job; resolves to false where an equal one is known already. */
  enqueue(name: JobName, payload: JobPayload, id: string): Promise<boolean>
  /** Begins to take jobs. */
  work(handlers: JobHandlers): Promise<void>
  /** Whether the queue answers, for readiness. */
  ping(): Promise<{ ok: boolean; message: string }>
  /** Stops taking, waits for jobs under way until the deadline, then aborts them. */
  close(deadlineMs: number): Promise<void>
}
