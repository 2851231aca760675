import type { JobHandlers, JobResult, Log } from './contract.js'
import { InterruptedRunError, RefusedJobError, RunFailedError, UnknownChannelError } from './errors.js'
import { parseJob } from './job-payload.js'

/** A job as taken from a queue, not yet validated. */
export interface RawJob {
  id: string
  name: string
  data: unknown
  signal: AbortSignal
  /**
   * What to do with a job whose channel is not configured in this process: `return` rejects with `UnknownChannelError` and logs nothing,
   * because the job is returned to the queue; `expired` says that it was returned for too long. Default: the job is refused.
   */
  ifUnknownChannel?: 'return' | 'expired'
  /**
   * Whether a poll or closing round that shutdown aborted rejects with `InterruptedRunError`, because the job is returned to the queue.
   * Default: the job ends, and the next tick continues.
   */
  returnInterrupted?: boolean
}

/**
 * Validates a job, passes it to its handler and logs a failure.
 * @throws UnknownChannelError or InterruptedRunError, not logged, if the job can be returned to the queue; Error with at most 500 characters of the message, if the job was refused, failed or was aborted
 */
export async function runJob(handlers: JobHandlers, job: RawJob, log: Log): Promise<JobResult | undefined> {
  try {
    const { name, payload } = parseJob(job.name, job.data)
    return await handlers[name](payload, { id: job.id, signal: job.signal })
  } catch (thrown) {
    if (thrown instanceof InterruptedRunError) {
      if (job.returnInterrupted) throw thrown
      return undefined
    }
    const error = unknownChannel(thrown, job)
    logFailure(error, job, log)
    throw new Error((error instanceof Error ? error.message : String(error)).slice(0, 500))
  }
}

function unknownChannel(error: unknown, { ifUnknownChannel }: RawJob): unknown {
  if (!(error instanceof UnknownChannelError) || ifUnknownChannel === undefined) return error
  if (ifUnknownChannel === 'return') throw error
  return new RefusedJobError(
    `channel ${error.channel} is in the configuration of no worker: the job was returned to the queue for an hour`,
  )
}

function logFailure(error: unknown, job: RawJob, log: Log): void {
  const facts = { job: job.name, id: job.id }
  if (error instanceof RefusedJobError) log.error(facts, `job refused: ${error.message}`)
  else if (job.signal.aborted) log.warn({ ...facts, err: error }, 'job aborted by shutdown; the next tick continues')
  else if (!(error instanceof RunFailedError)) log.error({ ...facts, err: error }, 'job failed')
}
