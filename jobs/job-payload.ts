import { z } from 'zod'
import { JOB_NAMES, type JobName, type JobPayload } from './contract.js'
import { RefusedJobError } from './errors.js'

/** Text that every queue can hold: PostgreSQL takes neither NUL nor half of a surrogate pair. */
const text = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'holds a control character or half a character')

const common = { channel: text(500).regex(/\//, 'is not org/channel'), cause: text(100) }
const channelJob = z.strictObject(common)
const rfqJob = z.strictObject({ ...common, rfqId: text(500) })

const schemas: Record<JobName, z.ZodType<JobPayload>> = {
  'poll-listings': channelJob,
  'poll-rfqs': channelJob,
  'close-expired': channelJob,
  'channel-report': channelJob,
  'rfq-report': rfqJob,
}

/**
 * The door of every job: what comes out of a queue is outside data.
 * @throws RefusedJobError where the name is unknown or the payload has another shape; its message never repeats values
 */
export function parseJob(name: string, data: unknown): { name: JobName; payload: JobPayload } {
  const known = JOB_NAMES.find((candidate) => candidate === name)
  if (known === undefined) throw new RefusedJobError(`there is no job of the name ${JSON.stringify(name).slice(0, 80)}`)
  const parsed = schemas[known].safeParse(data)
  if (parsed.success) return { name: known, payload: parsed.data }
  const reasons = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'payload'}: ${issue.message}`)
  throw new RefusedJobError(`the payload of ${known} does not fit: ${reasons.join('; ').slice(0, 300)}`)
}
