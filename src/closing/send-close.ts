import type { CloseResult, CloseSlot } from '../marketplace/contract.js'
import { AbortedError, MarketplaceError, NotSentError } from '../marketplace/errors.js'
import type { CloseIntent } from '../store/contract.js'
import { evidenceOf } from './decisions.js'
import { type Candidate, type EvaluatedRfq, qualifies } from './evaluate.js'
import { confirmRead, readAndRecord } from './read-rfq.js'
import { evaluateNow, evaluateWithBlockers, type Round } from './round.js'

/** How old a read may be when the first byte of the close that it allows is sent, in milliseconds (docs/CLOSING.md, rule 6). */
const MAX_READ_AGE_MS = 5000
/** How old the checks between the two may be, in milliseconds. */
const MAX_CHECK_AGE_MS = 2000
/** An RFQ that changes at each of this many reads is left to the next round. */
const MAX_READS = 3
/** After this many attempts with a read or checks that were too old, or without a connection, a close is left to the next round. */
const MAX_ATTEMPTS = 3

/** A close whose effect is to be found. */
export interface OpenClose {
  intent: CloseIntent
  /** When the first byte of each POST of this round was sent: none after a crash. */
  sent: (string | null)[]
  /** To the newest of them; null if none arrived. */
  reply: CloseResult | null
  /** Why no reply arrived, or null. */
  failure: string | null
}

/** What came of an attempt to send a close. */
export interface Attempt {
  /** As evaluated just before the POST. If nothing was sent, the reasons against it say why; in a dry run there may be none. */
  rfq: EvaluatedRfq
  close: OpenClose | null
}

/**
 * Sends one POST right after a read that confirms what is known of the RFQ (docs/CLOSING.md, rule 6). The rate limiter admits read
 * and POST together, so that only the checks take time between them. A dry run reads and checks only.
 * @param known the RFQ as recorded; if it has changed, it is read and recorded anew
 * @param previous the close whose second POST this is; null for the first POST, whose intent is planned after the checks
 * @throws MarketplaceError that concerns the whole channel or run: nothing was sent, and no POST is counted; AbortedError
 */
export async function attemptClose(round: Round, known: Candidate, previous: OpenClose | null): Promise<Attempt> {
  const { context, policy } = round
  let expected = known
  let [changes, attempts] = [0, 0]
  for (;;) {
    const slot = policy.mode === 'on' ? await context.session.readForClose(known.id) : null
    try {
      const checksBegan = { at: context.now(), readAge: slot?.readAge() ?? 0 }
      const read = await confirmRead(round, expected, slot?.read ?? (await context.session.readRfq(known.id)))
      if (read !== null) {
        const rfq = await evaluateWithBlockers(round, read, { isSecondPost: previous !== null })
        if (slot === null || !qualifies(rfq)) return { rfq, close: null }
        const result = await send(round, slot, { rfq, previous, checksBegan })
        if (typeof result !== 'string') return { rfq, close: result }
        if (++attempts < MAX_ATTEMPTS) continue
        rfq.against.push({ code: 'not-sent', text: `its close was not sent: ${result}; the next round tries again` })
        return { rfq, close: null }
      }
    } finally {
      slot?.release()
    }
    if (++changes === MAX_READS) {
      const against = [{ code: 'changing' as const, text: 'it changed at every fresh read' }]
      return { rfq: { ...evaluateNow(round, expected), against }, close: null }
    }
    expected = await readAndRecord(round, known.id)
  }
}

interface CheckedClose {
  rfq: EvaluatedRfq
  previous: OpenClose | null
  /** When the checks began, by the wall clock, and how old the read was then, by the monotonic one. */
  checksBegan: { at: Date; readAge: number }
}

/** Stores the intent and sends the POST. @returns why nothing was sent, if that is all */
async function send(round: Round, slot: CloseSlot, checked: CheckedClose): Promise<OpenClose | string> {
  const { context, run, policy } = round
  const { rfq, previous } = checked
  const planned =
    previous?.intent ??
    (await context.store.planClose({
      ...{ run, rfqId: rfq.id, now: context.now() },
      evidence: evidenceOf(round, rfq),
      requested: policy.retry?.includes(rfq.id) ?? false,
    }))
  const sending = await context.store.markSending(planned, run)
  let sentAt: Date | null = null
  let refusal: string | null = null
  /** The last check, once connected, just before the first byte. */
  const refuseStart = () => {
    const now = context.now()
    refusal = staleReason(round, slot, checked, now)
    if (refusal === null) sentAt = now
    return refusal
  }
  const { reply, failure } = await slot.close(refuseStart).then(
    (reply) => ({ reply, failure: null }),
    (failure: Error) => ({ reply: null, failure }),
  )
  if (sentAt === null) {
    await context.store.withdrawSending(sending)
    if (refusal !== null) return refusal
    if (failure instanceof NotSentError) return failure.message
    throw failure
  }
  const intent = await context.store.recordSent(sending, sentAt)
  if (failure !== null && (!(failure instanceof MarketplaceError) || failure instanceof AbortedError)) throw failure
  return { intent, sent: [...(previous?.sent ?? []), intent.sentAt], reply, failure: failure?.message ?? null }
}

/** Why a close that passed its checks may no longer be sent, or null. */
function staleReason(
  { context, run }: Round,
  slot: CloseSlot,
  { checksBegan }: CheckedClose,
  now: Date,
): string | null {
  if (context.signal?.aborted) return 'the round was stopped'
  if (run.lost.aborted) return 'its run was taken over'
  if (slot.wasPaused()) return 'the marketplace asked for a pause after the RFQ was read'
  const age = slot.readAge()
  const checkAge = age - checksBegan.readAge
  if (age >= MAX_READ_AGE_MS) return `the RFQ was read ${seconds(age)} before it could be sent`
  if (checkAge >= MAX_CHECK_AGE_MS) return `the checks began ${seconds(checkAge)} before it could be sent`
  // A monotonic clock may stand still while the machine is suspended, so the wall clock has to agree.
  const isRecent = (since: Date, max: number) => Math.abs(now.getTime() - since.getTime()) < max
  const { readAt } = slot.read
  if (isRecent(readAt, MAX_READ_AGE_MS) && isRecent(checksBegan.at, MAX_CHECK_AGE_MS)) return null
  return 'the clock was set, or the machine was suspended, before it could be sent'
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`
