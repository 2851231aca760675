import { MAX_POSTS_PER_INTENT } from '../core/close-intent.js'
import { ItemError } from '../marketplace/errors.js'
import type { CloseIntent } from '../store/contract.js'
import { clockProblem } from './clock-skew-check.js'
import { recordOutcome } from './decisions.js'
import { storedCandidate } from './evaluate.js'
import { type FreshRead, readAndRecord } from './fresh-read.js'
import { decideResend, evaluateNow, isInScope, type Round, stopForClocks, withItemFailures } from './round-state.js'
import { sendAgain, settleAsGone, settleByRead, verifyClose } from './settlement.js'

/**
 * An intent whose POST is younger than this, in milliseconds, is not sent again, because the POST may still take effect. The allowed
 * clock difference is added, because another machine may have sent it.
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
  const next = await decideResend(round, read, evaluation)
  if (next.kind === 'never') return recordOutcome(round, read, evaluation, settleByRead(intent, read))
  const clock = clockProblem(read, round.policy.maxClockSkewSeconds)
  if (clock !== null) stopForClocks(round, clock)
  const unresolved = next.kind === 'wait' ? next.reason : tooRecentReason(intent, round)
  if (unresolved !== null) {
    round.unresolved.set(intent.rfqId, unresolved)
    return
  }
  const sent = await sendAgain(round, intent, read)
  if ('ruledOut' in sent)
    return recordOutcome(round, sent.ruledOut, evaluateNow(round, sent.ruledOut), settleByRead(intent, sent.ruledOut))
  const settlement = 'unresolved' in sent ? sent : await verifyClose(round, sent)
  if ('unresolved' in settlement) round.unresolved.set(intent.rfqId, settlement.unresolved)
  else await recordOutcome(round, read, evaluation, settlement)
  round.unconfirmed.delete(intent.rfqId)
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
    await recordOutcome(round, gone, evaluateNow(round, gone), settleAsGone(intent, gone, error.message))
    return null
  }
}
