import { type Calendar, isExpired } from '../domain/expiry.js'
import { parseRfq, type Rfq } from '../domain/observation.js'
import type { DecisionRecord, KnownDocument } from '../domain/records.js'

/** An RFQ that may have to be closed: as stored, or as just read. */
export interface Candidate {
  id: string
  body: unknown
  /** The parsed body; null if it is not an object. */
  document: Rfq | null
  valid: boolean
  /** Only the list entry has been read, never the detail. */
  listEntryOnly: boolean
  missingSince: string | null
  version: number
  hash: string
}

interface EvaluationContext {
  calendar: Calendar
  graceHours: number
  now: Date
}

/** The reasons for and against closing an RFQ. It qualifies if there is none against. */
export interface Evaluation {
  for: string[]
  against: string[]
  number: number | null
  dueDate: string | null
  /** `responseDueDate` exactly as in the document. */
  dueDateAsSent: unknown
  state: string | null
}

const REFUSAL_HOLDS_MS = 24 * 3_600_000

/** A stored RFQ as a candidate. Its body is parsed here, once. */
export function storedCandidate(rfq: KnownDocument): Candidate {
  const { document, valid } = parseRfq(rfq.body)
  return {
    id: rfq.id,
    body: rfq.body,
    document,
    valid: rfq.valid && valid,
    listEntryOnly: rfq.shape !== 'full',
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
  const require = (condition: boolean, met: string, notMet: string) =>
    condition ? evaluation.for.push(met) : evaluation.against.push(notMet)
  require(state === 'open', 'its state is open', state === null
    ? 'its state is missing or invalid'
    : `its state is ${state}`)
  if (dueDate === null) {
    evaluation.against.push(`its response due date is not a valid date (${JSON.stringify(dueDateAsSent)})`)
  } else {
    const today = `today is ${calendar.dateAt(now)} in ${calendar.timeZone}`
    const due = `its response due date ${dueDate}${graceHours > 0 ? ` plus ${graceHours} h of grace` : ''}`
    const pastDue = isExpired(dueDate, calendar, graceHours, now)
    require(pastDue, `${due} has passed (${today})`, `${due} has not passed (${today})`)
  }
  require(candidate.valid && !candidate.listEntryOnly, 'its document is valid', invalidReason(candidate))
  require(missingSince === null, 'it is in the newest list', `it has been missing from the list since ${missingSince}`)
  return evaluation
}

const invalidReason = (candidate: Candidate) =>
  candidate.listEntryOnly
    ? 'only its list entry has been read so far'
    : 'its document does not match the documented format'

/**
 * Why an RFQ that qualifies is not closed again. A refusal holds until the document changes or a day has passed. An
 * uncertain outcome (`unknown`, `failed`) holds until the document changes (docs/CLOSING.md, rules 5 and 7).
 * @param newest the newest decision about the RFQ
 * @param version the version that qualifies
 * @returns the reason, or null if another try is allowed
 */
export function reasonAgainstRetry(newest: DecisionRecord | undefined, version: number, now: Date): string | null {
  if (newest?.decision !== 'close' || newest.outcome === null || newest.versionAfter !== version) return null
  const reference = `decision ${newest.id}, ${newest.decidedAt}`
  if (newest.outcome === 'refused') {
    const holds = now.getTime() - Date.parse(newest.decidedAt) < REFUSAL_HOLDS_MS
    return holds ? `the marketplace refused to close it (${reference}) and it has not changed since` : null
  }
  return newest.outcome === 'unknown' || newest.outcome === 'failed'
    ? `the effect of its last close is uncertain (${reference}): check it, then run quotekeeper close-expired`
    : null
}
