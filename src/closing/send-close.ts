import type { CloseResult, CloseSlot } from '../marketplace/contract.js'
import { AbortedError, MarketplaceError, NotSentError } from '../marketplace/errors.js'
import type { CloseIntent } from '../store/contract.js'
import type { Candidate } from './evaluate.js'
import { confirmRead, type FreshRead, MAX_READS, readAndRecord } from './fresh-read.js'
import type { Round } from './round.js'

/** How old a read may be when the first byte of the close that it allows is sent, in milliseconds (docs/CLOSING.md, rule 6). */
const MAX_READ_AGE_MS = 5000
/** How old the checks between the two may be, in milliseconds. */
const MAX_CHECK_AGE_MS = 2000
/** After this many attempts with a read or checks that were too old, a close is left to the next round. */
const MAX_STALE_ATTEMPTS = 3

/** One POST that was sent. */
export interface SentClose {
  intent: CloseIntent
  reply: CloseResult | null
  /** Why no reply arrived, or null. */
  failure: string | null
}

/** The result of an attempt to send a close. */
export type SendResult<Kept> =
  | ({ kind: 'sent'; read: FreshRead } & SentClose)
  /** The checks found a reason against it. */
  | { kind: 'kept'; read: FreshRead; kept: Kept }
  /** The RFQ differed at each of several reads. */
  | { kind: 'changing' }
  /** The read or the checks were too old at every attempt, or there was no connection. */
  | { kind: 'stale' | 'unsent'; read: FreshRead; reason: string }

/** The result of the checks: the intent to send, or why nothing is sent. */
export type Checked<Kept> = { intent: CloseIntent } | { kept: Kept }

/**
 * Sends one POST right after a read that confirms what is known of the RFQ (docs/CLOSING.md, rule 6). The rate limiter admits read
 * and POST together, so that only `check` takes time between them.
 * @param known what the decision to close is based on; if the RFQ has changed, it is read and recorded anew
 * @param check evaluates the read and everything that may block closing; returns the intent, which is then marked as `sending`
 * @throws MarketplaceError that concerns the whole channel or run: nothing was sent, and no POST is counted; AbortedError
 */
export async function readAndSend<Kept>(
  round: Round,
  known: Candidate,
  check: (read: FreshRead) => Promise<Checked<Kept>>,
): Promise<SendResult<Kept>> {
  const { context, run } = round
  let expected = known
  let [changes, stale] = [0, 0]
  for (;;) {
    const slot = await context.session.readForClose(known.id)
    const result = await sendInSlot(round, slot, expected, check).finally(() => slot.release())
    if (result.kind === 'changed') {
      if (++changes >= MAX_READS) return { kind: 'changing' }
      expected = await readAndRecord(context, run, known.id)
    } else if (result.kind !== 'stale' || ++stale >= MAX_STALE_ATTEMPTS) return result
  }
}

async function sendInSlot<Kept>(
  round: Round,
  slot: CloseSlot,
  expected: Candidate,
  check: (read: FreshRead) => Promise<Checked<Kept>>,
): Promise<Exclude<SendResult<Kept>, { kind: 'changing' }> | { kind: 'changed' }> {
  const { context, run } = round
  const checksStarted = { at: context.now(), readAge: slot.readAge() }
  const read = await confirmRead(context, run, expected, slot.read)
  if (read === null) return { kind: 'changed' }
  const checked = await check(read)
  if ('kept' in checked) return { kind: 'kept', read, kept: checked.kept }
  const intent = await context.store.markSending(checked.intent, run)
  let sentAt: Date | null = null
  let refusal: string | null = null
  /** The last check, once connected, just before the first byte. */
  const refuseStart = () => {
    const now = context.now()
    refusal = staleReason(round, slot, { read, checksStarted, now })
    if (refusal !== null) return refusal
    sentAt = now
    return null
  }
  const outcome = await slot.close(refuseStart).then(
    (reply) => ({ reply, failure: null }),
    (error: unknown) => ({ reply: null, failure: error as Error }),
  )
  if (sentAt === null) {
    await context.store.withdrawSending(intent, context.now())
    if (refusal !== null) return { kind: 'stale', read, reason: refusal }
    if (outcome.failure instanceof NotSentError) return { kind: 'unsent', read, reason: outcome.failure.message }
    throw outcome.failure
  }
  const sent = await context.store.recordSent(intent, sentAt)
  const { reply, failure } = outcome
  if (failure !== null && (!(failure instanceof MarketplaceError) || failure instanceof AbortedError)) throw failure
  return { kind: 'sent', read, intent: sent, reply, failure: failure?.message ?? null }
}

/** Why a close that passed its checks may no longer be sent, or null. */
function staleReason(
  { context, run }: Round,
  slot: CloseSlot,
  { read, checksStarted, now }: { read: FreshRead; checksStarted: { at: Date; readAge: number }; now: Date },
): string | null {
  if (context.signal?.aborted) return 'the round was stopped'
  if (run.lost.aborted) return 'its run was taken over'
  if (slot.wasPaused()) return 'the marketplace asked for a pause after the RFQ was read'
  const age = slot.readAge()
  const checkAge = age - checksStarted.readAge
  if (age >= MAX_READ_AGE_MS) return `the RFQ was read ${seconds(age)} before it could be sent`
  if (checkAge >= MAX_CHECK_AGE_MS) return `the checks began ${seconds(checkAge)} before it could be sent`
  // A monotonic clock may stand still while the machine is suspended, so the wall clock has to agree.
  const isRecent = (since: Date, max: number) => Math.abs(now.getTime() - since.getTime()) < max
  if (isRecent(read.readAt, MAX_READ_AGE_MS) && isRecent(checksStarted.at, MAX_CHECK_AGE_MS)) return null
  return 'the clock was set, or the machine was suspended, before it could be sent'
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`
