import type { evidenceOf } from '../../closing/decisions.js'
import type { DecisionRecord } from '../../core/records.js'
import { cleanLine } from '../../core/text/clean-text.js'
import { formatCount } from '../../core/text/number-format.js'

/** The evidence a closing round stores with a decision, and with the outcome of a close; every member may be absent. */
type Evidence = Partial<ReturnType<typeof evidenceOf>> & {
  request?: { operation: string; sentAt: (string | null)[]; posts: number }
  answer?: { status: number; ok: boolean | null; message: string | null } | null
  failure?: string | null
  verified?: { readAt: string; state: string | null; version: number; hash: string } | null
}

/** A decision and its evidence, as text with a labelled line per fact, without characters that are not shown. */
export const explainDecision = (decision: DecisionRecord): string =>
  decisionFacts(decision)
    .map(({ label, value }) => `${label.padEnd(13)}${cleanLine(value)}\n`)
    .join('')

const fact = (label: string, value: string) => ({ label, kind: 'text' as const, value })

/** Everything that was evaluated, sent and read for a decision. */
export function decisionFacts(decision: DecisionRecord) {
  const { id, outcome, channel, rfqNumber, rfqId, decidedAt, runId, repeatedUntil, times, approvedBy } = decision
  const evidence = decision.evidence as Evidence
  // Those that the reason has are not repeated.
  const more = (label: string, reasons: readonly string[] = []) =>
    reasons.filter((reason) => !decision.reason.includes(reason)).map((reason) => fact(label, reason))
  return [
    fact('Closing', `${id}: ${[decision.decision, outcome].filter((part) => part !== null).join(', ')}`),
    fact('RFQ', `${rfqNumber ?? 'without a number'} of ${channel}, id ${rfqId}`),
    fact('Decided', `${decidedAt}, in closing round ${runId}`),
    ...(repeatedUntil === null ? [] : [fact('Repeated', `${times} times, until ${repeatedUntil}`)]),
    ...(approvedBy === null ? [] : [fact('Approved by', approvedBy)]),
    fact('Because', decision.reason),
    ...more('For', evidence.for),
    ...more('Against', evidence.against),
    ...evaluationFacts(decision, evidence),
    ...requestFacts(decision, evidence),
    fact('Hash', `${decision.hash}, after ${decision.previousHash.slice(0, 16)}…`),
  ]
}

/** By which rules it was decided, and on which reading. */
function evaluationFacts({ dueDate, timeZone, versionBefore }: DecisionRecord, evidence: Evidence) {
  const { list, reading, mode, byHand, startedBy, approvedPlan, retryOf, only, today, graceHours, hash } = evidence
  const starter = [
    byHand ? `a person, ${startedBy ?? 'with close-expired'}` : 'the schedule',
    ...(only ? ['for this RFQ only'] : []),
    ...(approvedPlan ? [`approving plan ${approvedPlan}`] : []),
    ...(retryOf ? [`retrying the close of closing decision ${retryOf}`] : []),
  ]
  const sent = JSON.stringify(evidence.dueDateAsSent ?? null)
  return [
    fact('Due date', `${dueDate ?? 'none'} (sent as ${sent}); the date in ${timeZone} was ${today ?? '?'}`),
    fact('Grace', `${graceHours ?? 0} hours after the end of the due date`),
    fact('Started by', `${starter.join(', ')}; autoClose: ${mode ?? '?'}`),
    fact('List', list ? `read ${list.readAt}${list.isWhole ? '' : ', may not be whole'}` : 'none'),
    fact('Evaluated', `version ${versionBefore ?? '?'}, content hash ${hash ?? '?'}`),
    fact('Fresh read', reading?.readAt ?? 'none; the stored version was sufficient'),
    ...(reading ? [fact('Clocks', clocksText(reading))] : []),
  ]
}

const clocksText = ({ clock, marketplaceClock, skewSeconds, maxClockSkewSeconds }: NonNullable<Evidence['reading']>) =>
  `ours ${clock}, marketplace ${marketplaceClock ?? 'unknown'}; ` +
  `${skewSeconds === null ? 'skew unknown' : `skew ${skewSeconds} s`} (limit ${maxClockSkewSeconds} s)`

/** What was sent, and what came back. */
function requestFacts({ versionAfter }: DecisionRecord, { request, answer, failure, verified }: Evidence) {
  if (!request) return [fact('Sent', 'nothing')]
  const times = request.sentAt.filter((time) => time !== null).join(' and ')
  const reply =
    answer && `${answer.status}, ok: ${answer.ok ?? 'absent'}${answer.message ? `, "${answer.message}"` : ''}`
  const posts = `${request.operation}, ${formatCount(request.posts, 'request')}`
  return [
    fact('Sent', times === '' ? posts : `${posts} at ${times}`),
    fact('Response', reply ?? failure ?? 'none'),
    ...(verified
      ? [
          fact(
            'Verified',
            `${verified.readAt}: ${verified.state ?? 'no state'}, version ${versionAfter ?? verified.version}, content hash ${verified.hash}`,
          ),
        ]
      : []),
  ]
}
