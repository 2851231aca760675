import { hash } from 'node:crypto'
import type { JobName, JobPayload } from './contract.js'

/** The members of a payload that identify its work. */
type KeyPayload = Omit<JobPayload, 'cause'>

/**
 * The id of a job: name, channel, RFQ and moment. Schedulers that enqueue the same tick produce the same id; different
 * channels never do.
 * @param at the tick, or the moment that caused the job
 * @param setBacks how often the clock was set back before, because a moment that recurs is another tick. Default 0
 * @returns e.g. `poll-rfqs_acme_forest_20261121T0105Z` (UTC), or with `-1` at its end; BullMQ allows neither colons nor all digits
 */
export function jobId(name: JobName, payload: KeyPayload, at: Date, setBacks = 0): string {
  return `${fairnessKey(name, payload)}_${formatTimestamp(at)}${setBacks === 0 ? '' : `-${setBacks}`}`
}

/**
 * The job id without its moment: at most one job with a key waits or runs. A report with another as-of time is
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

/** `20261121T0105Z`, with seconds and milliseconds only if they are not zero. */
function formatTimestamp(at: Date): string {
  const [date, time] = at.toISOString().replace(/[-:]/g, '').split('T') as [string, string]
  const [clock, fraction] = time.slice(0, -1).split('.') as [string, string]
  const seconds = fraction === '000' ? clock.slice(4) : clock.slice(4) + fraction
  return `${date}T${clock.slice(0, 4)}${seconds === '00' ? '' : seconds}Z`
}
