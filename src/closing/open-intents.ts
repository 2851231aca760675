import { MAX_POSTS_PER_INTENT } from '../core/close-intent.js'
import { ItemError } from '../marketplace/errors.js'
import type { CloseIntent } from '../store/contract.js'
import { clockProblem } from './blocks/clock-skew.js'
import { recordOutcome } from './decisions.js'
import { storedCandidate } from './evaluate.js'
import { type FreshRead, readAndRecord } from './fresh-read.js'
import { evaluateNow, isInScope, type Round, secondPost, stopForClocks, withItemFailures } from './round-state.js'
import { sendAgain, settleAsGone, settleByRead, verifyClose } from './settlement.js'

/**
 * An intent whose POST is younger than this, in milliseconds, is not sent again: the POST may still take effect. Another machine may have sent
 * it, by a clock that differs as much as the policy allows.
 */
const MIN_AGE_FOR_REPOST_MS = 60_000

/**
 * Settles the intents that a crash left open, each by a fresh read (docs/CLOSING.md, rule 7). Those of RFQs out of scope stay
 * open for the next round, because settling may send a POST.
 */
export async function settleOpenIntents(round: Round): Promise<void> {
  for (const intent of await round.context.store.openIntents(round.channel)) {
    if (!isInScope(round, intent.rfqId)) continue
    await withItemFailures(round, intent.rfqId, () => settleIntent(round, intent))
  }
}

async function settleIntent(round: Round, intent: CloseIntent): Promise<void> {
  round.evaluated.add(intent.rfqId)
  const read = await readUnlessGone(round, intent)
  if (read === null) return
  const evaluation = evaluateNow(round, read)
  if (read.state !== 'open' || intent.posts === 0 || intent.posts >= MAX_POSTS_PER_INTENT) {
    return recordOutcome(round, read, evaluation, settleByRead(intent, read))
  }
  const next = await secondPost(round, read, evaluation)
  if (next.kind === 'never') return recordOutcome(round, read, evaluation, settleByRead(intent, read))
  const clock = clockProblem(read, round.policy.maxClockSkewSeconds)
  if (clock !== null) stopForClocks(round, clock)
  const waiting = next.kind === 'wait' ? next.reason : reasonOfAge(intent, round)
  if (waiting !== null) {
    round.waiting.set(intent.rfqId, waiting)
    return
  }
  const sent = await sendAgain(round, intent, read)
  if ('never' in sent)
    return recordOutcome(round, sent.never, evaluateNow(round, sent.never), settleByRead(intent, sent.never))
  const settlement = 'waiting' in sent ? sent : await verifyClose(round, sent)
  if ('waiting' in settlement) round.waiting.set(intent.rfqId, settlement.waiting)
  else await recordOutcome(round, read, evaluation, settlement)
  round.unconfirmed.delete(intent.rfqId)
}

function reasonOfAge({ sentAt, createdAt }: CloseIntent, { context, policy }: Round): string | null {
  const age = context.now().getTime() - Date.parse(sentAt ?? createdAt)
  const enough = MIN_AGE_FOR_REPOST_MS + policy.maxClockSkewSeconds * 1000
  return age < enough ? `its close was sent less than ${enough / 1000} s ago and may still take effect` : null
}

/**
 * Reads the RFQ of an intent. If it cannot be read and is missing from the list, it is gone: then its intent is settled
 * without a read, and null is returned.
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
    await recordOutcome(round, gone, evaluateNow(round, gone), settleAsGone(intent, gone, error.message))
    return null
  }
}
