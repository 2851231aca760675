import type { DecisionRecord } from '../domain/records.js'
import { sanitize } from './terminal-text.js'

/** What a closing round keeps as evidence (src/closing/record.ts), as far as it is there. */
interface Evidence {
  mode?: string
  byHand?: boolean
  approvedPlan?: string | null
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

/** Everything that stood behind one decision, in words, for a terminal: outside text is cleaned. */
export function explainDecision(decision: DecisionRecord): string {
  const evidence = decision.evidence as Evidence
  const lines = [
    ...heading(decision),
    ['Because', decision.reason],
    ...(evidence.for ?? []).map((reason) => ['For', reason] as const),
    ...(evidence.against ?? []).map((reason) => ['Against', reason] as const),
    ...circumstances(decision, evidence),
    ...reading(decision, evidence),
    ...request(decision, evidence),
    ['Chain', `follows ${decision.previousHash.slice(0, 16)}…; its own hash is ${decision.hash}`],
  ] as const
  return lines.map(([name, text]) => `${name.padEnd(13)}${sanitize(text)}\n`).join('')
}

type Line = readonly [name: string, text: string]

function heading({ id, decision, outcome, channel, rfqNumber, rfqId, decidedAt, runId }: DecisionRecord): Line[] {
  const verdict = outcome === null ? decision : `${decision}, ${outcome}`
  return [
    ['Decision', `${id}: ${verdict}`],
    ['RFQ', `${rfqNumber ?? 'without a number'} of ${channel}, id ${rfqId}`],
    ['Decided', `${decidedAt}, in closing round (run) ${runId}`],
  ]
}

function circumstances({ dueDate, timeZone }: DecisionRecord, evidence: Evidence): Line[] {
  const sent = JSON.stringify(evidence.dueDateAsSent ?? null)
  const asked = evidence.byHand ? 'a person, by hand' : 'the schedule'
  const plan = evidence.approvedPlan ? `, with the approval of ${evidence.approvedPlan}` : ''
  const { poll } = evidence
  return [
    [
      'Due date',
      `${dueDate ?? 'none'} (sent as ${sent}), in the calendar of ${timeZone}, where it was ${evidence.today ?? '?'}`,
    ],
    ['Grace', `${evidence.graceHours ?? 0} hours after the due date has ended`],
    ['Asked by', `${asked}${plan}; the channel is on autoClose: ${evidence.mode ?? '?'}`],
    ['Newest list', poll ? `run ${poll.runId}, ${poll.outcome}, ended ${poll.finishedAt}` : 'none'],
  ]
}

function reading({ versionBefore }: DecisionRecord, { hash, reading: read }: Evidence): Line[] {
  const known: Line = ['Weighed', `version ${versionBefore ?? '?'}, content hash ${hash ?? '?'}`]
  if (!read) return [known, ['Read afresh', 'no; what was known was enough']]
  const { clock, marketplaceClock, skewSeconds, maxClockSkewSeconds } = read
  const apart = skewSeconds === null ? 'not known how far apart' : `${skewSeconds} s apart`
  return [
    known,
    ['Read afresh', read.readAt],
    [
      'Clocks',
      `ours ${clock}, the marketplace's ${marketplaceClock ?? 'not told'}: ${apart} (limit ${maxClockSkewSeconds} s)`,
    ],
  ]
}

function request({ versionAfter }: DecisionRecord, evidence: Evidence): Line[] {
  const { request: sent, answer, failure, verified } = evidence
  if (!sent) return [['Sent', 'nothing']]
  const times = sent.sentAt.filter((time) => time !== null)
  const told = answer
    ? `${answer.status}, ok: ${answer.ok ?? 'not said'}${answer.message ? `, "${answer.message}"` : ''}`
    : null
  const lines: Line[] = [
    ['Sent', `${sent.operation}: ${sent.posts} in all${times.length > 0 ? `, at ${times.join(' and ')}` : ''}`],
    ['Answer', told ?? failure ?? 'none was waited for'],
  ]
  if (verified) {
    const shown = `${verified.state ?? 'no state'}, version ${versionAfter ?? verified.version}, content hash ${verified.hash}`
    lines.push(['Read after', `${verified.readAt}: ${shown}`])
  }
  return lines
}
