import { compileCron } from '../config/cron.js'
import type { Clock } from '../core/time/clock.js'
import type { Store, TargetPage } from '../store/contract.js'
import type { NotifyTarget, SendMessage } from './contract.js'

/** The most events of a message. */
const PAGE = 50
const DIGEST_PAGE = 200

/** The pause after the first failed attempt, in milliseconds. Each further pause is four times as long. */
const FIRST_PAUSE_MS = 5_000
const FACTOR = 4
const MAX_PAUSE_MS = 4 * 3_600_000
/** After an outage of this length, older events are passed over, in milliseconds. */
const MAX_OUTAGE_MS = 24 * 3_600_000

export interface DeliveryOptions {
  store: Pick<Store, 'takePage' | 'endPage'>
  send: SendMessage
  /** Of the ticks of a digest. */
  timeZone: string
  now: Clock
  log: Record<'info' | 'warn', (facts: object, message: string) => void>
  random?: () => number
}

/**
 * Sends to a target what waits for it, one page after another. Resolves when nothing more can be sent now. What is being sent when the
 * signal is aborted is sent again later.
 * @throws StoreError
 */
export async function deliverTo(target: NotifyTarget, options: DeliveryOptions, signal: AbortSignal): Promise<void> {
  const { store, timeZone, now } = options
  const digest = target.type === 'email' ? target.digest : null
  const upTo = digest === null ? null : compileCron(digest, timeZone).lastTick({ after: new Date(0), upTo: now() })
  if (digest !== null && upTo === null) return
  while (!signal.aborted) {
    const limit = digest === null ? PAGE : DIGEST_PAGE
    const page = await store.takePage({ target: target.name, limit, upTo, now: now() })
    if (page === null || !(await attempt(options, target, page, signal))) return
  }
}

/**
 * Sends one page, and records and logs how that ended.
 * @returns whether the next page may be sent at once
 */
async function attempt(
  { store, send, now, log, random = Math.random }: DeliveryOptions,
  target: NotifyTarget,
  page: TargetPage,
  signal: AbortSignal,
): Promise<boolean> {
  const { events, failures } = page
  const result = await send(target, events, { now: now(), signal })
  const at = now()
  const last = events.at(-1) ?? events[0]
  const facts = { target: target.name, events: events.length, sequences: [events[0].sequence, last.sequence] }
  if (result.kind === 'delivered') {
    await store.endPage(page, { kind: 'delivered' }, at)
    const { warning } = result
    if (warning === undefined) log.info(facts, 'notification sent')
    else log.warn({ ...facts, warning }, 'notification sent in part')
    return true
  }
  const { status, error } = result
  const why = { ...facts, status, error }
  if (result.kind === 'refused') {
    const passedOver = await store.endPage(page, { kind: 'refused', error }, at)
    log.warn({ ...why, passedOver }, 'notification refused; its events are passed over')
    return true
  }
  const retryAt = new Date(at.getTime() + retryPause(failures, result.retryAfterMs, random))
  const outageBefore = new Date(at.getTime() - MAX_OUTAGE_MS)
  const passedOver = await store.endPage(page, { kind: 'failed', error, retryAt, outageBefore }, at)
  log.warn({ ...why, retryAt, passedOver }, 'notification could not be sent; it will be retried')
  return false
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
