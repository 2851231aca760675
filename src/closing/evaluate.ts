import { MAX_INTENTS_PER_DAY, REFUSAL_COOLDOWN_MS } from '../core/close-intent.js'
import { contentHash } from '../core/documents/canonical-json.js'
import { contradictionOf } from '../core/documents/list-contradiction.js'
import { parseDocument, type Rfq } from '../core/documents/observation.js'
import type { DecisionRecord, KnownDocument } from '../core/records.js'
import { type ClockTimes, clockSkewSeconds } from '../core/time/clock-skew.js'
import { type Calendar, EARLIEST_DUE_DATE, isExpired } from '../core/time/expiry.js'
import type { ClosingPolicy } from './contract.js'

/** An RFQ that may have to be closed: as stored, or as just read. */
export interface Candidate {
  id: string
  body: unknown
  /** The parsed body; null if it is not an object. */
  document: Rfq | null
  /** That of the document; null also if the text of a read is not clear, so that it proves no state. */
  state: string | null
  valid: boolean
  /** Its entry in the newest list; null if none was recorded. */
  entry: KnownDocument['entry']
  /** Only the list entry has been read, never the detail. */
  listEntryOnly: boolean
  missingSince: string | null
  version: number
  hash: string
  /** When it was just read; null if that is not why it is known. */
  reading: ClockTimes | null
}

/** Names a reason without its details, so that two rounds can be compared (docs/CLOSING.md, rule 9). */
export const REASON_CODES = [
  'state',
  'due-date',
  'not-past-due',
  'document',
  'missing',
  'changing',
  'not-sent',
  'clock',
  'open-intent',
  'refused',
  'uncertain',
  'daily-limit',
  'kill-switch',
  'mass-loss',
  'max-per-run',
] as const
export type ReasonCode = (typeof REASON_CODES)[number]

export interface Reason {
  code: ReasonCode
  /** For people. */
  text: string
}

/** Closes of earlier rounds on a channel. */
export interface EarlierCloses {
  /** RFQs with an open intent. */
  openIntents: ReadonlySet<string>
  /** The newest decision with an outcome about each RFQ. */
  closeReplies: Map<string, DecisionRecord>
  /** How many intents of each RFQ were sent within the last 24 hours. */
  sentIntents: ReadonlyMap<string, number>
  /** When a backup of the database was restored last; null if none was. */
  restoredAt: Date | null
}

/** By what an RFQ is evaluated. */
export interface EvaluationContext {
  policy: Pick<ClosingPolicy, 'graceHours' | 'maxClockSkewSeconds' | 'retry'>
  calendar: Calendar
  earlier: EarlierCloses
  now: Date
}

/** An RFQ with the reasons for and against closing it. It qualifies if there is none against. */
export interface EvaluatedRfq extends Candidate {
  for: string[]
  against: Reason[]
}

/** Whether there is no reason against closing an RFQ. */
export const qualifies = ({ against }: EvaluatedRfq): boolean => against.length === 0

/** A stored RFQ as a candidate. Its body is parsed here, once. */
export function storedCandidate(rfq: KnownDocument): Candidate {
  const { body } = rfq
  const { document, valid } = parseDocument('rfq', body)
  return {
    id: rfq.id,
    body,
    document,
    state: document?.state ?? null,
    valid: rfq.valid && valid,
    listEntryOnly: rfq.shape !== 'full',
    entry: rfq.entry,
    missingSince: rfq.missingSince,
    version: rfq.version,
    hash: contentHash(body),
    reading: null,
  }
}

/** `responseDueDate` exactly as in the document. */
export const dueDateAsSent = ({ body }: Candidate): unknown =>
  (body as { responseDueDate?: unknown } | null)?.responseDueDate ?? null

/**
 * Evaluates whether an RFQ may be closed (docs/CLOSING.md, rules 2 to 5, 7 and 11): the same for rounds, before and after they read it,
 * and for previews. Rule 4 concerns an RFQ that was just read.
 * @param options.isSecondPost it is asked for the second POST of an intent: of earlier closes, only a restore counts
 */
export function evaluate(
  candidate: Candidate,
  context: EvaluationContext,
  { isSecondPost = false } = {},
): EvaluatedRfq {
  const { id, document, missingSince, reading } = candidate
  const { calendar, now, policy, earlier } = context
  const evaluated: EvaluatedRfq = { ...candidate, for: [], against: [] }
  const require = (condition: boolean, met: string, code: ReasonCode, notMet: string) =>
    condition ? evaluated.for.push(met) : evaluated.against.push({ code, text: notMet })
  const state = document?.state ?? null
  const stateText = state === null ? 'its state is missing or invalid' : `its state is ${state}`
  require(state === 'open', 'its state is open', 'state', stateText)
  const dueDate = document?.responseDueDate ?? null
  if (dueDate === null) {
    const text = `its response due date is not a valid date (${JSON.stringify(dueDateAsSent(candidate))})`
    evaluated.against.push({ code: 'due-date', text })
  } else if (dueDate < EARLIEST_DUE_DATE) {
    const text = `its response due date ${dueDate} is before ${EARLIEST_DUE_DATE}, so probably a placeholder for no date`
    evaluated.against.push({ code: 'due-date', text })
  } else {
    const { graceHours } = policy
    const today = `today is ${calendar.dateAt(now)} in ${calendar.timeZone}`
    const due = `its response due date ${dueDate}${graceHours > 0 ? ` plus ${graceHours} h of grace` : ''}`
    const pastDue = isExpired(dueDate, calendar, graceHours, now)
    require(pastDue, `${due} has passed (${today})`, 'not-past-due', `${due} has not passed (${today})`)
  }
  const invalid = invalidReason(candidate)
  require(invalid === null, 'its document is valid', 'document', invalid ?? '')
  const missing = `it has been missing from the list since ${missingSince}`
  require(missingSince === null, 'it is in the newest list', 'missing', missing)
  if (!isSecondPost && earlier.openIntents.has(id)) evaluated.against.push(openIntentReason())
  const resend = resendBlockReason(candidate, context, isSecondPost)
  if (resend !== null) evaluated.against.push(resend)
  const clock = reading && clockProblem(reading, policy.maxClockSkewSeconds)
  if (clock !== null) evaluated.against.push({ code: 'clock', text: clock })
  return evaluated
}

/** The reason why the clocks do not allow a close, or null (docs/CLOSING.md, rule 4). */
export function clockProblem(times: ClockTimes, maxClockSkewSeconds: number): string | null {
  const skew = clockSkewSeconds(times)
  if (skew === null) return 'the marketplace sent no Date header'
  if (Math.abs(skew) <= maxClockSkewSeconds) return null
  const direction = skew > 0 ? 'behind' : 'ahead of'
  return `the marketplace's clock is ${Math.round(Math.abs(skew))} s ${direction} ours (limit ${maxClockSkewSeconds} s)`
}

/** Null if its document matches the documented format and the list does not contradict it. */
function invalidReason({ listEntryOnly, valid, entry, body }: Candidate): string | null {
  if (listEntryOnly) return 'only its list entry has been read so far'
  const contradiction = entry && contradictionOf(entry, body)
  if (contradiction === null) {
    return valid ? null : 'its document does not match the documented format; see `quotekeeper problems`'
  }
  return contradiction === ''
    ? 'the list has differing entries of it'
    : `its list entry contradicts it: it says ${contradiction}`
}

/** An open intent; `why` it is still open, if that is known. */
export const openIntentReason = (why?: string): Reason => ({
  code: 'open-intent',
  text: `an earlier close of it is not settled yet${why === undefined ? '' : ` (${why})`}`,
})

/**
 * Why an RFQ that qualifies is not closed again without a person (docs/CLOSING.md, rule 5). A refusal blocks it until the document
 * changes or a day has passed; an uncertain outcome (`unknown`, `failed`) blocks it until a person decides.
 * @param reply the newest decision about the RFQ that has an outcome
 * @returns the reason, or null if another attempt is allowed
 */
function retryBlockReason(reply: DecisionRecord | undefined, candidate: Candidate, now: Date): Reason | null {
  if (reply?.decision !== 'close') return null
  const result = `${reply.evidence.result} (closing decision ${reply.id})`
  if (reply.outcome === 'refused') {
    const elapsed = now.getTime() - Date.parse(reply.decidedAt)
    if (elapsed >= REFUSAL_COOLDOWN_MS || !isSameContent(reply.evidence.verified, candidate)) return null
    return { code: 'refused', text: `the marketplace refused to close it: ${result}` }
  }
  if (reply.outcome !== 'unknown' && reply.outcome !== 'failed') return null
  return { code: 'uncertain', text: `its last close has to be checked by a person: ${result}` }
}

/**
 * Why an RFQ that was past due when a backup was restored is not closed without a person: a close that was sent after the backup
 * was made may have been refused, or be uncertain (docs/CLOSING.md, rule 11).
 * @returns the reason; null if there was no restore, or a close of it had an outcome since then
 */
function restoreBlockReason(
  { id, document }: Candidate,
  { calendar, policy, earlier: { restoredAt, closeReplies } }: EvaluationContext,
): Reason | null {
  const reply = closeReplies.get(id)
  if (restoredAt === null || (reply !== undefined && Date.parse(reply.decidedAt) > restoredAt.getTime())) return null
  const dueDate = document?.responseDueDate
  if (!dueDate || !isExpired(dueDate, calendar, policy.graceHours, restoredAt)) return null
  const text =
    `it was past due when a backup was restored (${restoredAt.toISOString()}), so that its last close may not be known: ` +
    'check it; `quotekeeper close-expired --retry` closes it'
  return { code: 'uncertain', text }
}

/** Why earlier closes of an RFQ block another one (docs/CLOSING.md, rules 5 and 11); null if nothing does, or a person asked for it. */
function resendBlockReason(candidate: Candidate, context: EvaluationContext, isSecondPost: boolean): Reason | null {
  const { id } = candidate
  const { policy, earlier, now } = context
  if (policy.retry?.includes(id)) return null
  const restored = restoreBlockReason(candidate, context)
  if (isSecondPost) return restored
  const reason = retryBlockReason(earlier.closeReplies.get(id), candidate, now) ?? restored
  const sent = earlier.sentIntents.get(id) ?? 0
  if (reason !== null || sent < MAX_INTENTS_PER_DAY) return reason
  return { code: 'daily-limit', text: `its close was sent ${sent} times within 24 hours` }
}

/** Hash of a document without its update times, which a marketplace may change without changing anything else. */
export const hashWithoutUpdateTimes = (body: unknown): string => contentHash(withoutUpdateTimes(body))

const withoutUpdateTimes = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (name, value) => (name === 'updatedAt' ? undefined : value)))

/** Whether a candidate has the content that evidence describes. Evidence without a hash matches no document. */
export function isSameContent(evidence: unknown, { hash, body }: Candidate): boolean {
  const known = (evidence ?? {}) as Record<string, unknown>
  if (known.hash === hash) return true
  const stable = known.hashWithoutUpdateTimes
  return stable !== undefined && stable === hashWithoutUpdateTimes(body)
}
