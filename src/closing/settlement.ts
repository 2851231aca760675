import { MAX_POSTS_PER_INTENT } from '../domain/close-intent.js'
import type { CloseOutcome } from '../domain/records.js'
import type { CloseResult } from '../marketplace/contract.js'
import { AbortedError, MarketplaceError } from '../marketplace/errors.js'
import type { CloseIntent, RunHandle } from '../store/contract.js'
import type { ClosingContext } from './contract.js'
import { type FreshRead, readAndRecord } from './fresh-read.js'
import type { Sending } from './round-state.js'

/** Wait before a read that must show a late effect, in milliseconds. */
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
  /** When each POST of this round was about to be sent. */
  sent: string[]
}

/** The effect is not certain yet, and what stands against a second POST passes: the intent stays open. */
export interface Waiting {
  waiting: string
  after: FreshRead
}

/**
 * Sends the close and reads the RFQ to find its effect (docs/CLOSING.md, rules 7 and 8). An inconclusive reply leads to
 * a pause and a read; if the RFQ is still open and still qualifies, to one more POST, and never to a third.
 * @throws MarketplaceError if the verifying read fails: the intent stays open and is settled by a later round
 */
export async function closeAndVerify(
  context: ClosingContext,
  run: RunHandle,
  intent: CloseIntent,
  { onSending, secondPost }: Sending,
): Promise<Settlement | Waiting> {
  let current = intent
  const sent: string[] = []
  for (;;) {
    current = await context.store.markSending(current, context.now())
    sent.push(current.sentAt ?? '')
    onSending(current)
    const { reply, failure } = await sendPost(context, current.rfqId)
    const after = await verify(context, run, current.rfqId, reply)
    if (after.state === 'open' && isInconclusive(reply) && current.posts < MAX_POSTS_PER_INTENT) {
      const next = await secondPost(after)
      if (next.kind === 'send') continue
      if (next.kind === 'wait') return { waiting: next.reason, after }
    }
    return { intent: current, ...outcomeOf(reply, failure, after.state, current.posts), reply, failure, after, sent }
  }
}

/** Settles an intent that a crash left open and that is not sent again, by what a read shows. */
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
  `the process ended before the outcome of its close was recorded (${posts > 0 ? `sent ${sentAt}` : 'not sent'})`

const stateOf = (state: string | null) => (state === null ? 'no state' : `state ${state}`)

async function sendPost(
  context: ClosingContext,
  id: string,
): Promise<{ reply: CloseResult | null; failure: string | null }> {
  try {
    return { reply: await context.session.closeRfq(id), failure: null }
  } catch (error) {
    if (!(error instanceof MarketplaceError) || error instanceof AbortedError) throw error
    return { reply: null, failure: error.message }
  }
}

async function verify(
  context: ClosingContext,
  run: RunHandle,
  id: string,
  reply: CloseResult | null,
): Promise<FreshRead> {
  if (isInconclusive(reply)) await context.pause(VERIFY_PAUSE_MS)
  const after = await readAndRecord(context, run, id)
  if (after.state !== 'open' || !isConfirmed(reply)) return after
  // Confirmed, but still open: the effect may come a little later than the reply.
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
