import { type Calendar, isExpired } from '../domain/expiry.js'
import { observeRfq } from '../domain/observation.js'
import type { DecisionRecord } from '../domain/records.js'

/** An RFQ as it is about to be weighed: stored, or freshly read. */
export interface Candidate {
  id: string
  body: unknown
  valid: boolean
  /** Only the list entry of it is known. */
  listEntryOnly: boolean
  missingSince: string | null
  version: number
  hash: string
}

export interface EvaluationContext {
  calendar: Calendar
  graceHours: number
  now: Date
}

/** What speaks for closing, what speaks against it, in words. Nothing against: it qualifies. */
export interface Evaluation {
  for: string[]
  against: string[]
  number: number | null
  dueDate: string | null
  /** As the document holds it, whatever it is. */
  dueDateAsSent: unknown
  state: string | null
}

const REFUSAL_HOLDS_MS = 24 * 3_600_000

/**
 * Weighs one RFQ by the rule of the closing policy (reliability.md, closing policy 2 and 3): a valid document, state
 * exactly `open`, a due date that is a date and has ended in the channel's zone, grace included, not missing.
 */
export function evaluate(candidate: Candidate, { calendar, graceHours, now }: EvaluationContext): Evaluation {
  const { document, valid } = observeRfq(candidate.body)
  const asSent = (candidate.body as { responseDueDate?: unknown } | null)?.responseDueDate ?? null
  const dueDate = document?.responseDueDate ?? null
  const expired = dueDate !== null && isExpired(dueDate, calendar, graceHours, now)
  const today = `${calendar.dateAt(now)} in ${calendar.timeZone}`
  const grace = graceHours > 0 ? ` plus ${graceHours} h of grace` : ''
  const weighing: Evaluation = {
    for: [],
    against: [],
    number: document?.number ?? null,
    dueDate,
    dueDateAsSent: asSent,
    state: document?.state ?? null,
  }
  const say = (holds: boolean, yes: string, no: string) => (holds ? weighing.for.push(yes) : weighing.against.push(no))
  say(
    document?.state === 'open',
    'its state is open',
    document?.state == null ? 'its state is not known' : `its state is ${document.state}`,
  )
  if (dueDate === null) weighing.against.push(`its due date is no date (${JSON.stringify(asSent)})`)
  else {
    say(
      expired,
      `its due date ${dueDate}${grace} has ended (it is ${today})`,
      `its due date ${dueDate}${grace} has not ended (it is ${today})`,
    )
  }
  say(valid && candidate.valid && !candidate.listEntryOnly, 'its document is sound', unsound(candidate))
  say(
    candidate.missingSince === null,
    'the newest list shows it',
    `the list has not shown it since ${candidate.missingSince}`,
  )
  return weighing
}

const unsound = (candidate: Candidate) =>
  candidate.listEntryOnly ? 'only its list entry could be read so far' : 'its document does not fit the API document'

/**
 * Why an RFQ is not asked again although it qualifies: a refusal holds until the document changes or a day has passed;
 * an unknown outcome after two tries, or an accepted close that shows no effect, holds until it changes or a person asks.
 * @returns the reason in words, or null
 */
export function reasonAgainstRetry(newest: DecisionRecord | undefined, version: number, now: Date): string | null {
  if (newest?.decision !== 'close' || newest.outcome === null || newest.versionAfter !== version) return null
  const at = `decision ${newest.id}, ${newest.decidedAt}`
  if (newest.outcome === 'refused') {
    const held = now.getTime() - Date.parse(newest.decidedAt) < REFUSAL_HOLDS_MS
    return held ? `the marketplace refused it (${at}) and nothing has changed since` : null
  }
  return newest.outcome === 'unknown' || newest.outcome === 'failed'
    ? `its last close stayed without a known effect (${at}); a person should look: quotekeeper decisions, then close-expired`
    : null
}
