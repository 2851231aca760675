import { hash, randomBytes } from 'node:crypto'
import type { JobName, JobPayload } from './contract.js'

/** The members of a payload that identify its work. */
type KeyPayload = Omit<JobPayload, 'cause'>

/**
 * An id for a new job: name, channel, RFQ, moment, and a random number, because moments recur when the clock is set.
 * @returns e.g. `poll-rfqs_acme_forest_20261121T010500123Z_1f09`; BullMQ allows neither colons nor all digits
 */
export const jobId = (name: JobName, payload: KeyPayload, at: Date): string =>
  `${fairnessKey(name, payload)}_${at.toISOString().replace(/[-:.]/g, '')}_${randomBytes(2).toString('hex')}`

/**
 * What identifies the work of a job: at most one job with a key waits or runs. A report with another as-of time is
 * different work.
 */
export function fairnessKey(name: JobName, { channel, rfqId, asOf }: KeyPayload): string {
  const parts = [name, ...channel.split('/')].map(encodePart)
  if (rfqId !== undefined) parts.push(encodeIdentifier(rfqId))
  // A dot is followed by four digits in the other parts.
  if (asOf !== undefined) parts.push(`.asof-${encodePart(asOf)}`)
  return parts.join('_')
}

/** Keeps letters, digits and hyphens; every other UTF-16 unit becomes a dot and four hexadecimal digits. Injective. */
function encodePart(text: string): string {
  return text.replace(/[^A-Za-z0-9-]/g, (unit) => `.${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Longer ones are hashed: databases limit the length of keys. */
const MAX_ENCODED_LENGTH = 500

function encodeIdentifier(id: string): string {
  const encoded = encodePart(id)
  return encoded.length > MAX_ENCODED_LENGTH ? `.sha256-${hash('sha256', encoded)}` : encoded
}
