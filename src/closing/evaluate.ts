import { MAX_INTENTS_PER_DAY, REFUSAL_HOLDS_MS } from '../core/close-intent.js'
import { contentHash, withoutMembers } from '../core/documents/canonical-json.js'
import { parseRfq, type Rfq } from '../core/documents/observation.js'
import type { DecisionRecord, KnownDocument, KnownEntry } from '../core/records.js'
import { contradictingText, contradictionOf } from '../core/sources/sources.js'
import { type Calendar, EARLIEST_DUE_DATE, isExpired } from '../core/time/expiry.js'

/** An RFQ that may have to be closed: as stored, or as just read. */
export interface Candidate {
  id: string
  body: unknown
  /** The body without what parsing loses. */
  exactBody: unknown
  /** The parsed body; null if it is not an object. */
  document: Rfq | null
  valid: boolean
  /** What the newest list says of it; null if none was recorded. */
  entry: KnownEntry | null
  /** Only the list entry has been read, never the detail. */
  listEntryOnly: boolean
  missingSince: string | null
  version: number
  hash: string
}

/** Names a reason without its details, so that two rounds can be compared (docs/CLOSING.md, rule 9). */
export type ReasonCode =
  | 'state'
  | 'due-date'
  | 'not-past-due'
  | 'document'
  | 'missing'
  | 'changing'
  | 'not-sent'
  | 'clock'
  | 'open-intent'
  | 'refused'
  | 'uncertain'
  | 'daily-limit'
  | 'kill-switch'
  | 'mass-loss'
  | 'list-not-recorded'
  | 'max-per-run'

export interface Reason {
  code: ReasonCode
  /** For people. */
  text: string
}

interface EvaluationContext {
  calendar: Calendar
  graceHours: number
  now: Date
}

/** The reasons for and against closing an RFQ. It qualifies if there is none against. */
export interface Evaluation {
  for: string[]
  against: Reason[]
  number: number | null
  dueDate: string | null
  /** `responseDueDate` exactly as in the document. */
  dueDateAsSent: unknown
  state: string | null
}

/** A stored RFQ as a candidate. Its body is parsed here, once. */
export function storedCandidate(rfq: KnownDocument): Candidate {
  const { body } = rfq
  const { document, valid } = parseRfq(body)
  return {
    id: rfq.id,
    body,
    exactBody: rfq.isLossy ? rfq.exactBody : body,
    document,
    valid: rfq.valid && valid,
    listEntryOnly: rfq.shape !== 'full',
    entry: rfq.entry,
    missingSince: rfq.missingSince,
    version: rfq.version,
    hash: rfq.contentHash,
  }
}

/** Evaluates whether an RFQ is eligible and past due (docs/CLOSING.md, rules 2 and 3). */
export function evaluate(candidate: Candidate, { calendar, graceHours, now }: EvaluationContext): Evaluation {
  const { document, body, missingSince } = candidate
  const evaluation: Evaluation = {
    for: [],
    against: [],
    number: document?.number ?? null,
    dueDate: document?.responseDueDate ?? null,
    dueDateAsSent: (body as { responseDueDate?: unknown } | null)?.responseDueDate ?? null,
    state: document?.state ?? null,
  }
  const { state, dueDate, dueDateAsSent } = evaluation
  const require = (condition: boolean, met: string, code: ReasonCode, notMet: string) =>
    condition ? evaluation.for.push(met) : evaluation.against.push({ code, text: notMet })
  const stateText = state === null ? 'its state is missing or invalid' : `its state is ${state}`
  require(state === 'open', 'its state is open', 'state', stateText)
  if (dueDate === null) {
    const text = `its response due date is not a valid date (${JSON.stringify(dueDateAsSent)})`
    evaluation.against.push({ code: 'due-date', text })
  } else if (dueDate < EARLIEST_DUE_DATE) {
    const text = `its response due date ${dueDate} is before ${EARLIEST_DUE_DATE}, so probably a placeholder for no date`
    evaluation.against.push({ code: 'due-date', text })
  } else {
    const today = `today is ${calendar.dateAt(now)} in ${calendar.timeZone}`
    const due = `its response due date ${dueDate}${graceHours > 0 ? ` plus ${graceHours} h of grace` : ''}`
    const pastDue = isExpired(dueDate, calendar, graceHours, now)
    require(pastDue, `${due} has passed (${today})`, 'not-past-due', `${due} has not passed (${today})`)
  }
  const invalid = invalidReason(candidate)
  require(invalid === null, 'its document is valid', 'document', invalid ?? '')
  const missing = `it has been missing from the list since ${missingSince}`
  require(missingSince === null, 'it is in the newest list', 'missing', missing)
  return evaluation
}

/** Null if its document is as documented, and the list does not contradict it. */
function invalidReason({ listEntryOnly, valid, entry, body }: Candidate): string | null {
  if (listEntryOnly) return 'only its list entry has been read so far'
  const contradiction = entry && contradictionOf(entry, body)
  if (contradiction === null) {
    return valid ? null : 'its document does not match the documented format; see quotekeeper problems'
  }
  const message = contradictingText(contradiction)
  return message === ''
    ? 'its list entry contradicts it, or is ambiguous (a key twice, or a number that is not exact)'
    : `its list entry contradicts it: it says ${message}`
}

/** What earlier rounds did about the RFQs of a channel. */
export interface EarlierCloses {
  /** RFQs with an intent that is not settled, and why it is not; undefined if that is not known. */
  openIntents: ReadonlyMap<string, string | undefined>
  /** The newest decision about each RFQ that has an outcome. */
  answers: ReadonlyMap<string, DecisionRecord>
  /** How many intents of each RFQ were sent within the last 24 hours. */
  sentIntents: ReadonlyMap<string, number>
  /** RFQs that a person asked for by name: what was sent and answered earlier does not hold them. */
  retried?: readonly string[] | undefined
}

/** Evaluates a stored RFQ as a round does before it reads it again (docs/CLOSING.md, rules 2, 3, 5 and 7). */
export function evaluateStored(candidate: Candidate, context: EvaluationContext & EarlierCloses): Evaluation {
  const evaluation = evaluate(candidate, context)
  const { id } = candidate
  const { openIntents, answers, sentIntents, retried, now } = context
  if (openIntents.has(id)) evaluation.against.push(openIntentReason(openIntents.get(id)))
  if (retried?.includes(id)) return evaluation
  const another = reasonAgainstAnother(candidate, { answer: answers.get(id), sent: sentIntents.get(id) ?? 0, now })
  if (another !== null) evaluation.against.push(another)
  return evaluation
}

export const openIntentReason = (waiting?: string): Reason => ({
  code: 'open-intent',
  text: `an earlier close of it is not settled yet${waiting === undefined ? '' : ` (${waiting})`}`,
})

/**
 * Why an RFQ that qualifies is not closed again by itself (docs/CLOSING.md, rule 5). A refusal holds until the document
 * changes or a day has passed; an uncertain outcome (`unknown`, `failed`) holds until a person decides.
 * @param answer the newest decision about the RFQ that has an outcome
 * @returns the reason, or null if another try is allowed
 */
export function reasonAgainstRetry(answer: DecisionRecord | undefined, candidate: Candidate, now: Date): Reason | null {
  if (answer?.decision !== 'close') return null
  const reference = `closing decision ${answer.id}, ${answer.decidedAt}`
  if (answer.outcome === 'refused') {
    const elapsed = now.getTime() - Date.parse(answer.decidedAt)
    if (elapsed >= REFUSAL_HOLDS_MS || !isSameContent(answer.evidence.verified, candidate)) return null
    return { code: 'refused', text: `the marketplace refused to close it (${reference}) and it has not changed since` }
  }
  if (answer.outcome !== 'unknown' && answer.outcome !== 'failed') return null
  const remedy = 'check it; quotekeeper close-expired --retry sends it again'
  return { code: 'uncertain', text: `the effect of its last close is uncertain (${reference}): ${remedy}` }
}

/**
 * Why an RFQ that qualifies is not sent, because of what was sent before (docs/CLOSING.md, rule 5).
 * @param known.answer the newest decision about it that has an outcome
 * @param known.sent how many closes of it were sent within 24 hours
 */
export function reasonAgainstAnother(
  candidate: Candidate,
  { answer, sent, now }: { answer: DecisionRecord | undefined; sent: number; now: Date },
): Reason | null {
  const reason = reasonAgainstRetry(answer, candidate, now)
  if (reason !== null || sent < MAX_INTENTS_PER_DAY) return reason
  return { code: 'daily-limit', text: `its close was sent ${sent} times within 24 hours` }
}

/** Hash of a document without the times of its updates, which a marketplace may change without changing anything else. */
export const hashWithoutUpdateTimes = (body: unknown): string => contentHash('rfq', withoutMembers(body, 'updatedAt'))

/** Whether a candidate has the content that evidence describes. Evidence without a hash is of no document. */
export function isSameContent(evidence: unknown, { hash, body, exactBody }: Candidate): boolean {
  const known = (evidence ?? {}) as Record<string, unknown>
  if (known.hash === hash) return true
  const stable = known.hashWithoutUpdateTimes
  if (stable === undefined) return false
  // Evidence of earlier versions of Quotekeeper covers the body as parsed.
  const bodies = exactBody === body ? [body] : [exactBody, body]
  return bodies.some((each) => stable === hashWithoutUpdateTimes(each))
}
