import { MAX_POSTS_PER_INTENT } from '../core/close-intent.js'
import type { CloseOutcome } from '../core/records.js'
import type { CloseResult } from '../marketplace/contract.js'
import { ItemError } from '../marketplace/errors.js'
import type { CloseIntent, NewDecision } from '../store/contract.js'
import { addToRound, commonFields, recordDecision } from './decisions.js'
import {
  type Candidate,
  type EvaluatedRfq,
  hashWithoutUpdateTimes,
  openIntentReason,
  qualifies,
  type ReasonCode,
} from './evaluate.js'
import { findStored, readAndRecord } from './read-rfq.js'
import { evaluateNow, evaluateWithBlockers, type Round, readList } from './round.js'
import { type Attempt, attemptClose, type OpenClose } from './send-close.js'

/** Pause before a read that must show a delayed effect, in milliseconds. */
const VERIFY_PAUSE_MS = 5000

/**
 * An intent whose POST is younger than this, in milliseconds, is not sent again, because the POST may still take effect. The allowed
 * clock difference is added, because another machine may have sent it.
 */
const MIN_AGE_FOR_REPOST_MS = 60_000

/** This many closes in a row with an uncertain effect stop the round (docs/CLOSING.md, rule 5). */
const MAX_CONSECUTIVE_UNCERTAIN = 2

/** Settles an intent that a crash left open, by a fresh read (docs/CLOSING.md, rule 7). */
export async function settleIntent(round: Round, intent: CloseIntent): Promise<void> {
  round.evaluated.add(intent.rfqId)
  await readList(round)
  await settle(round, { intent, reply: null, failure: null, sent: [] })
}

/**
 * Reads the RFQ to find the effect of a close, and records it (docs/CLOSING.md, rules 7 and 8). Without a conclusive reply, if the RFQ
 * is still open and still qualifies, one more POST is sent, and never a third. If that is blocked for now, the intent stays open.
 * @param before the RFQ as evaluated before the POST; null after a crash
 * @throws MarketplaceError if the read fails: the intent stays open and is settled by a later round
 */
export async function settle(round: Round, close: OpenClose, before: EvaluatedRfq | null = null): Promise<void> {
  const { reply, intent } = close
  const after = await readEffect(round, close)
  const evaluated = before ?? evaluateNow(round, after, { isSecondPost: true })
  const mayBeSentAgain = isInconclusive(reply) && intent.posts > 0 && intent.posts < MAX_POSTS_PER_INTENT
  if (after.state !== 'open' || !mayBeSentAgain) return recordOutcome(round, evaluated, close, after)
  const { rfq, close: sentAgain } = await sendAgain(round, close, after)
  if (sentAgain !== null) return settle(round, sentAgain, evaluated)
  if (rfq.against.some(({ code }) => !PASSING.has(code))) return recordOutcome(round, evaluated, close, rfq)
  const why = rfq.against[0]?.text ?? 'the round is a dry run'
  await recordDecision(round, { ...rfq, against: [openIntentReason(why)] })
}

/** Reasons against a second POST that may pass: it is left to a later round. The others rule it out. */
const PASSING = new Set<ReasonCode>(['kill-switch', 'mass-loss', 'clock', 'changing', 'not-sent', 'open-intent'])

/** Sends the second POST of an intent, if nothing is against it. */
async function sendAgain(round: Round, close: OpenClose, after: Candidate): Promise<Attempt> {
  const { intent, sent } = close
  const rfq = await evaluateWithBlockers(round, after, { isSecondPost: true })
  const minAge = MIN_AGE_FOR_REPOST_MS + round.policy.maxClockSkewSeconds * 1000
  const age = round.context.now().getTime() - Date.parse(intent.sentAt ?? intent.createdAt)
  if (qualifies(rfq) && sent.length === 0 && age < minAge) {
    const text = `its close was sent less than ${minAge / 1000} s ago and may still take effect`
    rfq.against.push({ code: 'open-intent', text })
  }
  return qualifies(rfq) ? attemptClose(round, after, close) : { rfq, close: null }
}

/** The RFQ as a read shows it; as stored, without a state, if it is missing from the list and cannot be read after a crash. */
async function readEffect(round: Round, { intent: { rfqId }, reply, sent }: OpenClose): Promise<Candidate> {
  const { context } = round
  if (sent.length > 0 && isInconclusive(reply)) await context.pause(VERIFY_PAUSE_MS)
  try {
    const after = await readAndRecord(round, rfqId)
    if (after.state !== 'open' || !isConfirmed(reply)) return after
  } catch (error) {
    const stored = error instanceof ItemError && sent.length === 0 ? await findStored(round, rfqId) : null
    if (stored === null || stored.missingSince === null) throw error
    return { ...stored, state: null }
  }
  // Confirmed, but still open: the effect may be delayed.
  await context.pause(VERIFY_PAUSE_MS)
  return readAndRecord(round, rfqId)
}

/** Records how a close ended, and settles its intent with it. */
async function recordOutcome(round: Round, rfq: EvaluatedRfq, close: OpenClose, after: Candidate): Promise<void> {
  const { intent, reply, failure, sent } = close
  const { outcome, reason } = outcomeOf(close, after)
  const decision: NewDecision = {
    ...commonFields(round, rfq),
    decision: 'close',
    reason: `${rfq.for.join('; ')}. ${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
    outcome,
    httpStatus: reply?.status ?? null,
    message: reply?.message ?? failure,
    versionAfter: after.version,
    evidence: {
      ...intent.evidence,
      result: reason,
      request: {
        operation: 'POST …/rfqs/{id}/close',
        sentAt: sent.length > 0 ? sent : intent.posts > 0 ? [intent.sentAt] : [],
        posts: intent.posts,
      },
      answer: reply && { status: reply.status, ok: reply.ok, message: reply.message },
      failure,
      verified: after.reading && {
        readAt: after.reading.readAt.toISOString(),
        state: after.state,
        version: after.version,
        hash: after.hash,
        hashWithoutUpdateTimes: hashWithoutUpdateTimes(after.body),
      },
    },
  }
  // One that was withdrawn is evaluated again.
  if (outcome !== null) round.decided.add(rfq.id)
  addToRound(round, await round.context.store.settleClose(intent, decision))
  round.consecutiveUncertain = outcome === 'unknown' || outcome === 'failed' ? round.consecutiveUncertain + 1 : 0
  if (round.consecutiveUncertain >= MAX_CONSECUTIVE_UNCERTAIN) {
    const text = `The round stopped after ${MAX_CONSECUTIVE_UNCERTAIN} closes in a row with an uncertain effect.`
    round.stop = { code: 'uncertain-effects', text }
  }
}

/** The outcome of a close, null if nothing was sent and the RFQ is not closed; and why. */
function outcomeOf(close: OpenClose, after: Candidate): { outcome: CloseOutcome | null; reason: string } {
  const { reply, intent } = close
  const { posts } = intent
  const shown =
    after.reading === null
      ? `the RFQ has been missing from the list since ${after.missingSince} and can no longer be read`
      : `a read shows ${after.state === null ? 'no state' : `state ${after.state}`}`
  const reason = `${describe(close)}; ${shown}`
  if (after.state === 'closed') {
    // Not sent, or refused at the first POST, and yet closed: somebody else closed it.
    const closedElsewhere = posts === 0 || (posts === 1 && !isInconclusive(reply) && !isConfirmed(reply))
    return closedElsewhere
      ? { outcome: 'already-closed', reason: `${reason}: it was closed elsewhere` }
      : { outcome: 'closed', reason }
  }
  if (posts === 0) return { outcome: null, reason }
  if (isInconclusive(reply)) return { outcome: 'unknown', reason: `${reason} after POST ${posts}: check it` }
  if (isConfirmed(reply)) return { outcome: 'failed', reason: `${reason}: the close had no effect, check it` }
  return { outcome: 'refused', reason }
}

function describe({ intent: { posts, sentAt }, reply, failure, sent }: OpenClose): string {
  if (sent.length === 0) {
    const state = posts === 0 ? 'not sent' : sentAt === null ? 'perhaps sent' : `sent ${sentAt}`
    return `the process ended before the outcome of its close was recorded (${state})`
  }
  if (reply === null) return `no reply to the POST (${failure})`
  const message = reply.message ? `: ${reply.message}` : ''
  if (reply.status !== 200) return `the marketplace replied ${reply.status}${message}`
  return reply.ok === null
    ? `the marketplace replied 200 without ok${message}`
    : `the marketplace replied 200, ok: ${reply.ok}`
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
