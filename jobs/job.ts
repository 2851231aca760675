import { hash } from 'node:crypto'
import { JOB_NAMES, type JobHandlers, type JobName, type JobPayload, jobPayload, type Log } from './contract.js'
import { RefusedJobError, RunFailedError } from './errors.js'

/**
 * Validates a job, because data from a queue is external.
 * @throws RefusedJobError if the name is unknown or the payload is invalid; the message never repeats payload values
 */
export function parseJob(name: string, data: unknown): { name: JobName; payload: JobPayload } {
  const knownName = JOB_NAMES.find((candidate) => candidate === name)
  if (knownName === undefined) throw new RefusedJobError(`unknown job name ${JSON.stringify(name).slice(0, 80)}`)
  const parsed = jobPayload.safeParse(data)
  if (parsed.success) return { name: knownName, payload: parsed.data }
  const reasons = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'payload'}: ${issue.message}`)
  throw new RefusedJobError(`invalid ${knownName} payload: ${reasons.join('; ').slice(0, 300)}`)
}

/** The person who requested a job, as in its cause, or the closing round that did; null if the schedule caused it. */
export const requestedBy = ({ cause }: JobPayload): string | null =>
  cause === 'tick' || cause === 'start' ? null : cause

/**
 * What identifies the work of a job: at most one job with a key waits or runs. A report with another as-of time is
 * different work.
 */
export const workKey = (name: JobName, { channel, rfqId, asOf }: JobPayload): string =>
  `${name}-${hash('sha256', JSON.stringify([channel, rfqId ?? null, asOf ?? null]))}`

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
