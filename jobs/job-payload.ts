import { hash } from 'node:crypto'
import { z } from 'zod'
import { MAX_IDENTIFIER_LENGTH } from '../src/core/documents/identifier.js'
import { JOB_NAMES, type JobName, type JobPayload } from './contract.js'
import { RefusedJobError } from './errors.js'

const text = (maxLength: number) => z.string().min(1).max(maxLength)

const rfqId = text(MAX_IDENTIFIER_LENGTH)
const common = { channel: text(500).regex(/\//, 'is not org/slug'), cause: text(100) }
const channelJob = z.strictObject(common)

const schemas: Record<JobName, z.ZodType<JobPayload>> = {
  'poll-listings': channelJob,
  'poll-rfqs': channelJob,
  'close-expired': z.strictObject({ ...common, rfqId: rfqId.exactOptional() }),
  'channel-report': channelJob,
  'rfq-report': z.strictObject({ ...common, asOf: z.iso.datetime().exactOptional(), rfqId }),
}

/**
 * Validates a job, because data from a queue is external.
 * @throws RefusedJobError if the name is unknown or the payload is invalid; the message never repeats payload values
 */
export function parseJob(name: string, data: unknown): { name: JobName; payload: JobPayload } {
  const knownName = JOB_NAMES.find((candidate) => candidate === name)
  if (knownName === undefined) throw new RefusedJobError(`unknown job name ${JSON.stringify(name).slice(0, 80)}`)
  const parsed = schemas[knownName].safeParse(data)
  if (parsed.success) return { name: knownName, payload: parsed.data }
  const reasons = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'payload'}: ${issue.message}`)
  throw new RefusedJobError(`invalid ${knownName} payload: ${reasons.join('; ').slice(0, 300)}`)
}

/** The person who requested a job, as in its cause; null if the schedule caused it. */
export const requestedBy = ({ cause }: Pick<JobPayload, 'cause'>): string | null =>
  isScheduled({ cause }) ? null : cause

/** Whether the schedule, not a user or another job, caused a job. */
export const isScheduled = ({ cause }: Pick<JobPayload, 'cause'>): boolean => cause === 'tick' || cause === 'start'

/**
 * What identifies the work of a job: at most one job with a key waits or runs. A report with another as-of time is
 * different work.
 */
export const fairnessKey = (name: JobName, { channel, rfqId, asOf }: Omit<JobPayload, 'cause'>): string =>
  `${name}-${hash('sha256', JSON.stringify([channel, rfqId ?? null, asOf ?? null]))}`
