import type { DecisionRecord } from '../../core/records.js'
import { cleanText, oneLine } from '../../core/text/clean-text.js'
import { formatCount } from '../../core/text/number-format.js'

/** The evidence a closing round stores with a decision; every member may be absent. */
interface Evidence {
  mode?: string
  byHand?: boolean
  startedBy?: string | null
  only?: boolean
  approvedPlan?: string | null
  retryOf?: number | null
  dueDateAsSent?: unknown
  graceHours?: number
  today?: string
  for?: string[]
  against?: string[]
  poll?: { runId: number; finishedAt: string; outcome: string } | null
  hash?: string
  reading?: {
    readAt: string
    clock: string
    marketplaceClock: string | null
    skewSeconds: number | null
    maxClockSkewSeconds: number
  } | null
  request?: { operation: string; sentAt: (string | null)[]; posts: number }
  answer?: { status: number; ok: boolean | null; message: string | null } | null
  failure?: string | null
  verified?: { readAt: string; state: string | null; version: number; hash: string }
}

/** A decision and its evidence, as text with a labelled line per fact, without characters that are not shown. */
export const explainDecision = (decision: DecisionRecord): string =>
  decisionFacts(decision)
    .map(({ label, value }) => `${label.padEnd(13)}${oneLine(cleanText(value))}\n`)
    .join('')

/** Everything that was evaluated, sent and read for a decision. */
export function decisionFacts(decision: DecisionRecord) {
  const evidence = decision.evidence as Evidence
  const lines: Line[] = [
    ...heading(decision),
    ['Because', decision.reason],
    ...(evidence.for ?? []).map((reason) => ['For', reason] as const),
    ...(evidence.against ?? []).map((reason) => ['Against', reason] as const),
    ...conditions(decision, evidence),
    ...freshRead(decision, evidence),
    ...request(decision, evidence),
    ['Hash', `${decision.hash}, after ${decision.previousHash.slice(0, 16)}…`],
  ]
  return lines.map(([label, value]) => ({ label, kind: 'text' as const, value }))
}

type Line = readonly [label: string, value: string]

function heading(record: DecisionRecord): Line[] {
  const { id, decision, outcome, channel, rfqNumber, rfqId, decidedAt, runId } = record
  const { repeatedUntil, times, approvedBy } = record
  const result = outcome === null ? decision : `${decision}, ${outcome}`
  return [
    ['Closing', `${id}: ${result}`],
    ['RFQ', `${rfqNumber ?? 'without a number'} of ${channel}, id ${rfqId}`],
    ['Decided', `${decidedAt}, in closing round ${runId}`],
    ...(repeatedUntil === null ? [] : [['Repeated', `${times} times, until ${repeatedUntil}`] as const]),
    ...(approvedBy === null ? [] : [['Approved by', approvedBy] as const]),
  ]
}

function conditions({ dueDate, timeZone }: DecisionRecord, evidence: Evidence): Line[] {
  const sent = JSON.stringify(evidence.dueDateAsSent ?? null)
  const byHand = `a person, ${evidence.startedBy ?? 'with close-expired'}`
  const startedBy = evidence.byHand ? byHand : 'the schedule'
  const plan = evidence.approvedPlan ? `, approving plan ${evidence.approvedPlan}` : ''
  const retry = evidence.retryOf ? `, retrying the close of closing decision ${evidence.retryOf}` : ''
  const only = evidence.only ? ', for this RFQ only' : ''
  const { poll } = evidence
  return [
    ['Due date', `${dueDate ?? 'none'} (sent as ${sent}); the date in ${timeZone} was ${evidence.today ?? '?'}`],
    ['Grace', `${evidence.graceHours ?? 0} hours after the end of the due date`],
    ['Started by', `${startedBy}${only}${plan}${retry}; autoClose: ${evidence.mode ?? '?'}`],
    ['Last poll', poll ? `run ${poll.runId}, ${poll.outcome}, ended ${poll.finishedAt}` : 'none'],
  ]
}

function freshRead({ versionBefore }: DecisionRecord, { hash, reading: read }: Evidence): Line[] {
  const evaluated: Line = ['Evaluated', `version ${versionBefore ?? '?'}, content hash ${hash ?? '?'}`]
  if (!read) return [evaluated, ['Fresh read', 'none; the stored version was sufficient']]
  const { clock, marketplaceClock, skewSeconds, maxClockSkewSeconds } = read
  const skew = skewSeconds === null ? 'skew unknown' : `skew ${skewSeconds} s`
  return [
    evaluated,
    ['Fresh read', read.readAt],
    ['Clocks', `ours ${clock}, marketplace ${marketplaceClock ?? 'unknown'}; ${skew} (limit ${maxClockSkewSeconds} s)`],
  ]
}

function request({ versionAfter }: DecisionRecord, evidence: Evidence): Line[] {
  const { request: sent, answer, failure, verified } = evidence
  if (!sent) return [['Sent', 'nothing']]
  const times = sent.sentAt.filter((time) => time !== null)
  const response = answer
    ? `${answer.status}, ok: ${answer.ok ?? 'absent'}${answer.message ? `, "${answer.message}"` : ''}`
    : null
  const lines: Line[] = [
    [
      'Sent',
      `${sent.operation}, ${formatCount(sent.posts, 'request')}${times.length > 0 ? ` at ${times.join(' and ')}` : ''}`,
    ],
    ['Response', response ?? failure ?? 'none'],
  ]
  if (verified) {
    const state = `${verified.state ?? 'no state'}, version ${versionAfter ?? verified.version}, content hash ${verified.hash}`
    lines.push(['Verified', `${verified.readAt}: ${state}`])
  }
  return lines
}
