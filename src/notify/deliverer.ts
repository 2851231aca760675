import type { Clock } from '../core/time/clock.js'
import type { PageEnd, TargetPage, Targets } from '../store/contract.js'
import type { NotifyTarget, SendMessage, SendResult } from './contract.js'
import { toMessage } from './send-message.js'

/** The most events of a message. */
const PAGE = 50
const DIGEST_PAGE = 200
/** Messages in one call. */
const MAX_MESSAGES = 200

/** The pause after the first failed attempt, in milliseconds. Each further pause is four times as long. */
const FIRST_PAUSE_MS = 5_000
const FACTOR = 4
const MAX_PAUSE_MS = 4 * 3_600_000
/** After an outage of this length, older events are passed over, in milliseconds. */
const MAX_OUTAGE_MS = 24 * 3_600_000

interface DeliveryOptions {
  store: Pick<Targets, 'takePage' | 'renewHold' | 'endPage'>
  send: SendMessage
  /** The newest tick of the cron expression of a digest; null if there was none yet. */
  lastDigest: (digest: string, now: Date) => Date | null
  now: Clock
  /** Removes secrets from an error before it is stored or logged. */
  scrub: (text: string) => string
  onAttempt: (attempt: Attempt) => void
  random?: () => number
}

/** One attempt to send a message. */
export interface Attempt {
  target: string
  events: number
  /** Of the first and the last event. */
  sequences: [first: number, last: number]
  result: SendResult
  /** When it is tried again, unless everything of it was passed over; null if it is not. */
  retryAt: Date | null
  /** Events that the target never gets. */
  passedOver: number
}

/** How often other processes are told that this one still sends, in milliseconds. */
const HOLD_MS = 5_000

/**
 * Sends to a target what waits for it, one page after another. Resolves when nothing more can be sent now.
 * @throws StoreError
 */
export async function deliverTo(target: NotifyTarget, options: DeliveryOptions, signal: AbortSignal): Promise<void> {
  const { store, lastDigest, now } = options
  const digest = target.type === 'email' ? target.digest : null
  const upTo = digest === null ? null : lastDigest(digest, now())
  if (digest !== null && upTo === null) return
  const hold = setInterval(() => void store.renewHold(target.name).catch(() => undefined), HOLD_MS)
  try {
    for (let sent = 0; sent < MAX_MESSAGES && !signal.aborted; sent++) {
      const limit = digest === null ? PAGE : DIGEST_PAGE
      const page = await store.takePage({ target: target.name, limit, upTo, now: now() })
      if (page === null || !(await attempt(options, target, page, signal))) return
    }
  } finally {
    clearInterval(hold)
  }
}

/**
 * Sends one page and records how that ended.
 * @returns whether the next page may be sent at once
 */
async function attempt(
  { store, send, now, scrub, onAttempt, random = Math.random }: DeliveryOptions,
  target: NotifyTarget,
  page: TargetPage,
  signal: AbortSignal,
): Promise<boolean> {
  const { events, failures } = page
  const sent = await send(target, toMessage(events), { now: now(), signal }).catch(async (error) => {
    await store.endPage(page, { kind: 'stopped' }, now())
    throw error
  })
  const result = sent.kind === 'delivered' ? sent : { ...sent, error: scrub(sent.error) }
  const at = now()
  const retryAt =
    result.kind === 'failed' ? new Date(at.getTime() + retryPause(failures, result.retryAfterMs, random)) : null
  const passedOver = await store.endPage(page, toEnd(result, retryAt, at), at)
  const sequences: Attempt['sequences'] = [events[0].sequence, (events.at(-1) ?? events[0]).sequence]
  onAttempt({ target: target.name, events: events.length, sequences, result, retryAt, passedOver })
  return result.kind !== 'failed'
}

function toEnd(result: SendResult, retryAt: Date | null, at: Date): PageEnd {
  if (result.kind === 'delivered') return { kind: 'delivered' }
  const { error } = result
  if (retryAt === null) return { kind: 'refused', error }
  return { kind: 'failed', error, retryAt, outageBefore: new Date(at.getTime() - MAX_OUTAGE_MS) }
}

/**
 * The pause before the next attempt, in milliseconds.
 * @param failures consecutive failed attempts before this one
 * @param retryAfterMs the minimum pause that the target asked for
 * @param random returns 0 to 1, which shortens the pause by up to a half, so that processes do not retry at the same time
 */
export function retryPause(failures: number, retryAfterMs: number | null, random: () => number): number {
  const pause = Math.min(FIRST_PAUSE_MS * FACTOR ** Math.min(failures, 20), MAX_PAUSE_MS)
  return Math.max(Math.round(pause * (1 - random() / 2)), retryAfterMs ?? 0)
}
