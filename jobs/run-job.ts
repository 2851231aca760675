import type { JobHandlers, Log } from './contract.js'
import { RefusedJobError, RunFailedError } from './errors.js'
import { parseJob } from './job-payload.js'

/** A job as taken from a queue, not yet validated. */
interface RawJob {
  id: string
  name: string
  data: unknown
  signal: AbortSignal
}

/**
 * Validates a job, passes it to its handler and logs a failure.
 * @throws Error with at most 500 characters of the message, if the job was refused, failed or was aborted
 */
export async function runJob(handlers: JobHandlers, job: RawJob, log: Log): Promise<string | null> {
  try {
    const { name, payload } = parseJob(job.name, job.data)
    return await handlers[name](payload, { id: job.id, signal: job.signal })
  } catch (error) {
    logFailure(error, job, log)
    throw new Error((error instanceof Error ? error.message : String(error)).slice(0, 500))
  }
}

function logFailure(error: unknown, job: RawJob, log: Log): void {
  const facts = { job: job.name, id: job.id }
  if (error instanceof RefusedJobError) log.error(facts, `job refused: ${error.message}`)
  else if (job.signal.aborted) log.warn({ ...facts, err: error }, 'job aborted by shutdown; the next tick continues')
  else if (!(error instanceof RunFailedError)) log.error({ ...facts, err: error }, 'job failed')
}
