import { hash } from 'node:crypto'
import { JOB_NAMES, type JobName, type JobPayload, jobPayload } from './contract.js'
import { RefusedJobError } from './errors.js'

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
export const fairnessKey = (name: JobName, { channel, rfqId, asOf }: JobPayload): string =>
  `${name}-${hash('sha256', JSON.stringify([channel, rfqId ?? null, asOf ?? null]))}`
