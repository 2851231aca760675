import type { CloseOutcome } from '../domain/records.js'
import type { CloseReply } from '../marketplace/contract.js'
import { AbortedError, MarketplaceError } from '../marketplace/errors.js'
import type { CloseIntent, RunHandle } from '../store/contract.js'
import type { ClosingContext } from './contract.js'
import { type FreshRead, readAndRecord } from './fresh-read.js'

/** Before an answer that tells nothing is looked into, in milliseconds (reliability.md, closing policy 7). */
const PAUSE_MS = 5000
/** POSTs for one intent, in all. */
export const MAX_POSTS = 2

/** What came of a close, proven by reading. */
export interface Settlement {
  intent: CloseIntent
  /** Null where nothing was sent and the RFQ is open still. */
  outcome: CloseOutcome | null
  /** In words. */
  reason: string
  reply: CloseReply | null
  /** Why no answer came, where none did. */
  failure: string | null
  after: FreshRead
  /** When each POST of this round was about to be sent. */
  sent: string[]
}

/**
 * Sends the close and finds out by reading what it did. An answer that tells nothing (5xx, redirect, none) leads to a
 * pause and a reading; where that shows the RFQ open and still due, to one more POST; and to no third.
 * @param mayPost says why a further POST must not be sent after that reading, or null
 * @throws MarketplaceError where the verifying reading fails: the intent stays open, and is settled by a later reading
 */
export async function closeAndVerify(
  context: ClosingContext,
  run: RunHandle,
  intent: CloseIntent,
  mayPost: (reading: FreshRead) => string | null,
): Promise<Settlement> {
  let current = intent
  const sent: string[] = []
  for (;;) {
    current = await context.store.markSending(current, context.now())
    sent.push(current.sentAt ?? '')
    const { reply, failure } = await post(context, current.rfqId)
    const after = await verify(context, run, current.rfqId, reply)
    const again = after.state === 'open' && isInconclusive(reply) && current.posts < MAX_POSTS
    if (again && mayPost(after) === null) continue
    return { intent: current, ...outcomeOf(reply, failure, after.state, current.posts), reply, failure, after, sent }
  }
}

/** How an intent that a crash left behind, and that a reading found not open any more, ended. */
export function settleByRead(intent: CloseIntent, after: FreshRead): Settlement {
  const posted = intent.posts > 0
  const closed = after.state === 'closed'
  return {
    intent,
    outcome: closed ? (posted ? 'closed' : 'already-closed') : posted ? 'unknown' : null,
    reason:
      `a process ended before it could tell what became of its close (${posted ? `sent ${intent.sentAt}` : 'not sent'}); ` +
      `a reading shows it ${after.state ?? 'without a state'}`,
    reply: null,
    failure: null,
    after,
    sent: [],
  }
}

/** How an intent ended whose RFQ is neither to be read nor shown by the list any more. */
export function settleAsGone(intent: CloseIntent, known: FreshRead, failure: string): Settlement {
  const posted = intent.posts > 0
  return {
    intent,
    outcome: posted ? 'unknown' : null,
    reason:
      `a process ended before it could tell what became of its close (${posted ? `sent ${intent.sentAt}` : 'not sent'}); ` +
      `the list has not shown it since ${known.missingSince}, and it cannot be read: it is gone`,
    reply: null,
    failure,
    after: known,
    sent: [],
  }
}

async function post(
  context: ClosingContext,
  id: string,
): Promise<{ reply: CloseReply | null; failure: string | null }> {
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
  reply: CloseReply | null,
): Promise<FreshRead> {
  if (isInconclusive(reply)) await context.pause(PAUSE_MS)
  const after = await readAndRecord(context, run, id)
  if (after.state !== 'open' || !isConfirmed(reply)) return after
  // Said done, and shows open: the effect may lag behind the answer.
  await context.pause(PAUSE_MS)
  return readAndRecord(context, run, id)
}

const isConfirmed = (reply: CloseReply | null): boolean => reply?.status === 200 && reply.ok !== false

/** Neither done nor refused: no answer, a redirect, too many requests, a fault of the server. */
const isInconclusive = (reply: CloseReply | null): boolean =>
  reply === null ||
  reply.status === 408 ||
  reply.status === 429 ||
  reply.status >= 500 ||
  (reply.status >= 300 && reply.status < 400)

function outcomeOf(
  reply: CloseReply | null,
  failure: string | null,
  state: string | null,
  posts: number,
): { outcome: CloseOutcome; reason: string } {
  const said = describe(reply, failure)
  if (state === 'closed') return outcomeWhenClosed(reply, said, posts)
  const shows = state === null ? 'a reading shows no state' : `a reading shows it ${state}`
  if (isInconclusive(reply))
    return { outcome: 'unknown', reason: `${said} (POST ${posts}); ${shows}: a person should look` }
  if (isConfirmed(reply)) return { outcome: 'failed', reason: `${said}, yet ${shows}: a person should look` }
  return { outcome: 'refused', reason: `${said}; ${shows}` }
}

function outcomeWhenClosed(
  reply: CloseReply | null,
  said: string,
  posts: number,
): { outcome: CloseOutcome; reason: string } {
  // Refused at the first POST, and closed all the same: not by us.
  const byAnother = posts === 1 && !isInconclusive(reply) && !isConfirmed(reply)
  return byAnother
    ? { outcome: 'already-closed', reason: `${said}; a reading shows it closed: somebody else closed it` }
    : { outcome: 'closed', reason: `${said}; a reading shows it closed` }
}

function describe(reply: CloseReply | null, failure: string | null): string {
  if (reply === null) return `no answer came (${failure})`
  const message = reply.message ? `: ${reply.message}` : ''
  if (reply.status !== 200) return `answered ${reply.status}${message}`
  return reply.ok === null ? `answered 200 without ok${message}` : `answered 200, ok ${reply.ok}`
}
