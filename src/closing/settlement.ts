import { MAX_POSTS_PER_INTENT } from '../core/close-intent.js'
import type { CloseOutcome } from '../core/records.js'
import type { CloseResult } from '../marketplace/contract.js'
import type { CloseIntent } from '../store/contract.js'
import { type FreshRead, readAndRecord } from './fresh-read.js'
import { decideResend, type Round } from './round-state.js'
import { readAndSend, type SentClose } from './send-close.js'

/** Pause before a read that must show a delayed effect, in milliseconds. */
const VERIFY_PAUSE_MS = 5000

/** How a close ended, as shown by a read. */
export interface Settlement {
  intent: CloseIntent
  /** Null if nothing was sent and the RFQ is not closed. */
  outcome: CloseOutcome | null
  reason: string
  reply: CloseResult | null
  /** Why no reply arrived, or null. */
  failure: string | null
  after: FreshRead
  /** When the first byte of each POST of this round was sent. */
  sent: string[]
}

/** The effect is not certain yet, and a second POST is only blocked for now: the intent stays open. */
export interface Unresolved {
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
 * Sends the second POST of an intent, if a read just before it allows that.
 * @param known the RFQ as it was read last
 * @returns the POST; or why it is left to a later round; or the read that rules it out
 */
export async function sendAgain(
  round: Round,
  intent: CloseIntent,
  known: FreshRead,
): Promise<SentClose | Pick<Unresolved, 'unresolved'> | { ruledOut: FreshRead }> {
  const first = await decideResend(round, known)
  if (first.kind === 'never') return { ruledOut: known }
  if (first.kind === 'wait') return { unresolved: first.reason }
  const result = await readAndSend(round, known, async (read) => {
    const next = await decideResend(round, read)
    return next.kind === 'send' ? { intent } : { kept: next }
  })
  if (result.kind === 'sent') return result
  if (result.kind === 'changing') return { unresolved: 'it changed at every fresh read' }
  if (result.kind !== 'kept') return { unresolved: result.reason }
  return result.kept.kind === 'never' ? { ruledOut: result.read } : { unresolved: result.kept.reason }
}

/** Settles an intent that a crash left open by what a read shows, without another POST. */
export function settleByRead(intent: CloseIntent, after: FreshRead): Settlement {
  const sent = intent.posts > 0
  const notClosed = sent ? 'unknown' : null
  const closed = sent ? 'closed' : 'already-closed'
  return {
    intent,
    outcome: after.state === 'closed' ? closed : notClosed,
    reason: `${crashReason(intent)}; a read shows ${stateOf(after.state)}`,
    reply: null,
    failure: null,
    after,
    sent: [],
  }
}

/** Settles an intent that a crash left open and whose RFQ is missing from the list and cannot be read. */
export function settleAsGone(intent: CloseIntent, stored: FreshRead, failure: string): Settlement {
  return {
    intent,
    outcome: intent.posts > 0 ? 'unknown' : null,
    reason:
      `${crashReason(intent)}; the RFQ has been missing from the list since ${stored.missingSince} ` +
      'and can no longer be read',
    reply: null,
    failure,
    after: stored,
    sent: [],
  }
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
