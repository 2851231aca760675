import { MAX_POSTS_PER_INTENT } from '../core/close-intent.js'
import type { CloseOutcome } from '../core/records.js'
import type { CloseResult } from '../marketplace/contract.js'
import { ItemError } from '../marketplace/errors.js'
import type { CloseIntent } from '../store/contract.js'
import { clockProblem, clockProblemInGeneral } from './clock-skew-check.js'
import { recordOutcome, type Settlement } from './decisions.js'
import { resendBlockReason, storedCandidate } from './evaluate.js'
import { type FreshRead, readAndRecord } from './fresh-read.js'
import { evaluateNow, evaluationContext, type Round, readList, stopForClocks } from './round.js'
import { readAndSend, type SentClose } from './send-close.js'

/** Pause before a read that must show a delayed effect, in milliseconds. */
const VERIFY_PAUSE_MS = 5000

/**
 * An intent whose POST is younger than this, in milliseconds, is not sent again, because the POST may still take effect. The allowed
 * clock difference is added, because another machine may have sent it.
 */
const MIN_AGE_FOR_REPOST_MS = 60_000

/** The effect is not certain yet, and a second POST is only blocked for now: the intent stays open. */
interface Unresolved {
  /** Why. */
  unresolved: string
  after: FreshRead
}

/**
 * Reads the RFQ to find the effect of a close that was sent (docs/CLOSING.md, rules 7 and 8). An inconclusive reply leads to
 * a pause and a read; if the RFQ is still open and still qualifies, to one more POST, and never to a third.
 * @throws MarketplaceError if the verifying read fails: the intent stays open and is settled by a later round
 */
export async function verifyClose(round: Round, first: SentClose): Promise<Settlement | Unresolved> {
  let { intent, reply, failure } = first
  const sent = [intent.sentAt ?? '']
  for (;;) {
    const after = await verify(round, intent.rfqId, reply)
    const settleWith = (read: FreshRead): Settlement => {
      return { intent, ...outcomeOf(reply, failure, read.state, intent.posts), reply, failure, after: read, sent }
    }
    if (after.state !== 'open' || !isInconclusive(reply) || intent.posts >= MAX_POSTS_PER_INTENT)
      return settleWith(after)
    const next = await sendAgain(round, intent, after)
    if ('unresolved' in next) return { unresolved: next.unresolved, after }
    if ('ruledOut' in next) return settleWith(next.ruledOut)
    ;({ intent, reply, failure } = next)
    sent.push(intent.sentAt ?? '')
  }
}

/**
 * Settles an intent that a crash left open, by a fresh read (docs/CLOSING.md, rule 7).
 * @throws MarketplaceError if the read fails: the intent stays open
 */
export async function settleIntent(round: Round, intent: CloseIntent): Promise<void> {
  const { rfqId, posts } = intent
  round.evaluated.add(rfqId)
  await readList(round)
  const read = await readUnlessGone(round, intent)
  if (read === null) return
  const evaluation = evaluateNow(round, read)
  if (read.state !== 'open' || posts === 0 || posts >= MAX_POSTS_PER_INTENT)
    return recordOutcome(round, read, evaluation, settleByRead(intent, read))
  const clock = clockProblem(read, round.policy.maxClockSkewSeconds)
  if (clock !== null) stopForClocks(round, clock)
  const sent = await sendAgain(round, intent, read, tooRecentReason(intent, round))
  if ('ruledOut' in sent) {
    const { ruledOut } = sent
    return recordOutcome(round, ruledOut, evaluateNow(round, ruledOut), settleByRead(intent, ruledOut))
  }
  const settlement = 'unresolved' in sent ? sent : await verifyClose(round, sent)
  if ('unresolved' in settlement) round.earlier.openIntents.set(rfqId, settlement.unresolved)
  else await recordOutcome(round, read, evaluation, settlement)
}

/** Why an intent was sent too recently to be sent again; null if it was not. */
function tooRecentReason({ sentAt, createdAt }: CloseIntent, { context, policy }: Round): string | null {
  const age = context.now().getTime() - Date.parse(sentAt ?? createdAt)
  const minAge = MIN_AGE_FOR_REPOST_MS + policy.maxClockSkewSeconds * 1000
  return age < minAge ? `its close was sent less than ${minAge / 1000} s ago and may still take effect` : null
}

/**
 * Reads the RFQ of an intent. If it cannot be read and is missing from the list, settles the intent without a read and returns null.
 */
async function readUnlessGone(round: Round, intent: CloseIntent): Promise<FreshRead | null> {
  const { context, run, channel } = round
  try {
    return await readAndRecord(context, run, intent.rfqId)
  } catch (error) {
    if (!(error instanceof ItemError)) throw error
    const [stored] = await context.store.rfqs({ channel, ids: [intent.rfqId], withoutResponses: true })
    if (stored === undefined || stored.rfq.missingSince === null) throw error
    const now = context.now()
    const gone = { ...storedCandidate(stored.rfq), state: null, readAt: now, answeredAt: now, serverDate: null }
    await recordOutcome(round, gone, evaluateNow(round, gone), settleByRead(intent, gone, error.message))
    return null
  }
}

/**
 * Sends the second POST of an intent, if a read just before it allows that.
 * @param known the RFQ as it was read last
 * @param tooRecent why the first POST may still take effect, or null
 * @returns the POST; or why it is left to a later round; or the read that rules it out
 */
async function sendAgain(
  round: Round,
  intent: CloseIntent,
  known: FreshRead,
  tooRecent: string | null = null,
): Promise<SentClose | Pick<Unresolved, 'unresolved'> | { ruledOut: FreshRead }> {
  const first = await decideResend(round, known)
  if (first.kind === 'never') return { ruledOut: known }
  if (first.kind === 'wait') return { unresolved: first.reason }
  if (tooRecent !== null) return { unresolved: tooRecent }
  const result = await readAndSend(round, known, async (read) => {
    const next = await decideResend(round, read)
    return next.kind === 'send' ? { intent } : { kept: next }
  })
  if (result.kind === 'sent') return result
  if (result.kind === 'changing') return { unresolved: 'it changed at every fresh read' }
  if (result.kind !== 'kept') return { unresolved: result.reason }
  return result.kept.kind === 'never' ? { ruledOut: result.read } : { unresolved: result.kept.reason }
}

/** Whether an intent that was sent may be sent once more: `wait` for a reason that passes, `never` for one that stays. */
type ResendDecision = { kind: 'send' } | { kind: 'wait' | 'never'; reason: string }

/** Whether a second POST may follow a read (docs/CLOSING.md, rules 2, 3, 4, 7, 10 and 11). */
export async function decideResend(round: Round, read: FreshRead): Promise<ResendDecision> {
  const { policy, context, progress } = round
  const lost = resendBlockReason(read, { ...evaluationContext(round), ...round.earlier }, { isSecondPost: true })
  const against = evaluateNow(round, read).against[0] ?? lost
  if (against) return { kind: 'never', reason: against.text }
  const reason =
    (await context.killSwitch()) ??
    (policy.mode === 'on' ? null : 'the round is a dry run') ??
    clockProblemInGeneral(read, policy.maxClockSkewSeconds) ??
    (progress.suspicious ? 'the list may not be whole' : null)
  return reason === null ? { kind: 'send' } : { kind: 'wait', reason }
}

/**
 * Settles an intent that a crash left open by what a read shows, without another POST.
 * @param gone why the RFQ cannot be read, if it is also missing from the list; `after` is then what is stored
 */
export function settleByRead(intent: CloseIntent, after: FreshRead, gone: string | null = null): Settlement {
  const isSent = intent.posts > 0
  const outcome = after.state === 'closed' ? (isSent ? 'closed' : 'already-closed') : isSent ? 'unknown' : null
  const shown =
    gone === null
      ? `a read shows ${stateOf(after.state)}`
      : `the RFQ has been missing from the list since ${after.missingSince} and can no longer be read`
  return { intent, outcome, reason: `${crashReason(intent)}; ${shown}`, reply: null, failure: gone, after, sent: [] }
}

const crashReason = ({ posts, sentAt }: CloseIntent) =>
  `the process ended before the outcome of its close was recorded (${posts === 0 ? 'not sent' : sentAt === null ? 'perhaps sent' : `sent ${sentAt}`})`

const stateOf = (state: string | null) => (state === null ? 'no state' : `state ${state}`)

async function verify({ context, run }: Round, id: string, reply: CloseResult | null): Promise<FreshRead> {
  if (isInconclusive(reply)) await context.pause(VERIFY_PAUSE_MS)
  const after = await readAndRecord(context, run, id)
  if (after.state !== 'open' || !isConfirmed(reply)) return after
  // Confirmed, but still open: the effect may be delayed.
  await context.pause(VERIFY_PAUSE_MS)
  return readAndRecord(context, run, id)
}

/** The marketplace confirmed the close. */
const isConfirmed = (reply: CloseResult | null): boolean => reply?.status === 200 && reply.ok !== false

/** Neither confirmed nor refused: no reply, a redirect, too many requests, a server error. */
const isInconclusive = (reply: CloseResult | null): boolean =>
  reply === null ||
  reply.status === 408 ||
  reply.status === 429 ||
  reply.status >= 500 ||
  (reply.status >= 300 && reply.status < 400)

function outcomeOf(
  reply: CloseResult | null,
  failure: string | null,
  state: string | null,
  posts: number,
): { outcome: CloseOutcome; reason: string } {
  const description = `${describe(reply, failure)}; a read shows ${stateOf(state)}`
  if (state === 'closed') {
    // Refused at the first POST and yet closed: somebody else closed it.
    const closedElsewhere = posts === 1 && !isInconclusive(reply) && !isConfirmed(reply)
    return closedElsewhere
      ? { outcome: 'already-closed', reason: `${description}: it was closed elsewhere` }
      : { outcome: 'closed', reason: description }
  }
  if (isInconclusive(reply)) return { outcome: 'unknown', reason: `${description} after POST ${posts}: check it` }
  if (isConfirmed(reply)) return { outcome: 'failed', reason: `${description}: the close had no effect, check it` }
  return { outcome: 'refused', reason: description }
}

function describe(reply: CloseResult | null, failure: string | null): string {
  if (reply === null) return `no reply to the POST (${failure})`
  const message = reply.message ? `: ${reply.message}` : ''
  if (reply.status !== 200) return `the marketplace replied ${reply.status}${message}`
  return reply.ok === null
    ? `the marketplace replied 200 without ok${message}`
    : `the marketplace replied 200, ok: ${reply.ok}`
}
