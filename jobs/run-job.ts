import type { JobHandlers, Log } from './contract.js'
import { RefusedJobError, RunFailedError } from './errors.js'
import { parseJob } from './job-payload.js'

/** A job as it came out of a queue: nothing in it can be trusted yet. */
export interface RawJob {
  id: string
  name: string
  data: unknown
  signal: AbortSignal
}

/**
 * Does one job: checks it at the door, hands it to its handler, tells how it failed.
 * @throws Error with a message that any queue can keep, when the job was refused, failed, or was abandoned
 */
export async function runJob(handlers: JobHandlers, job: RawJob, log: Log): Promise<void> {
  try {
    const { name, payload } = parseJob(job.name, job.data)
    await handlers[name](payload, { id: job.id, signal: job.signal })
  } catch (error) {
    logFailure(error, job, log)
    throw new Error(storableMessage(error instanceof Error ? error.message : String(error)))
  }
}

function logFailure(error: unknown, job: RawJob, log: Log): void {
  const facts = { job: job.name, id: job.id }
  if (error instanceof RefusedJobError) log.error(facts, `job refused: ${error.message}`)
  else if (job.signal.aborted) log.warn({ ...facts, err: error }, 'job abandoned to shut down; the next tick goes on')
  else if (!(error instanceof RunFailedError)) log.error({ ...facts, err: error }, 'job failed')
}

/** PostgreSQL keeps a job active for ever whose error message holds a NUL (seen in BullMQ 6.7). */
function storableMessage(message: string): string {
  return message.replace(/[\p{Cc}\p{Cs}]/gu, ' ').slice(0, 500)
}
