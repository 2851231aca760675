import { randomUUID } from 'node:crypto'
import type { EventRecord } from '../core/events/events.js'
import type { Clock } from '../core/time/clock.js'
import type { AttemptEnd, Claim, Outbox } from '../store/events/outbox-contract.js'
import type { NotifyConfig, NotifyTarget, SendResult } from './contract.js'
import { DEAD_AFTER_MS, retryPause } from './retry.js'
import { maxEvents, type SendMessage } from './send-message.js'

export interface DelivererOptions {
  store: Pick<Outbox, 'routeEvents' | 'claimMessage' | 'endAttempt' | 'targetStates'>
  notify: Pick<NotifyConfig, 'targets' | 'routes'>
  send: SendMessage
  /** Whether a digest that was last sent at `last` is due. */
  isDigestDue: (digest: string, last: Date, now: Date) => boolean
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
  attempt: number
  result: SendResult
  /** When it is tried again; null if it was delivered. */
  retryAt: Date | null
}

/** Sends due messages to each target, in order, one after another. */
export interface Deliverer {
  /** Resolves after one attempt of each due message. Targets do not wait for each other. */
  tick(signal: AbortSignal): Promise<void>
}

/** Messages to one target in one tick. */
const MAX_MESSAGES = 200

export function createDeliverer(options: DelivererOptions): Deliverer {
  const { store, notify, now } = options
  const holder = randomUUID()
  const busy = new Set<string>()
  const targetsOf = routeTo(notify)

  const drain = async (target: NotifyTarget, signal: AbortSignal) => {
    if (busy.has(target.name)) return
    busy.add(target.name)
    try {
      // Checked once, because a digest may consist of several messages.
      if (target.type === 'email' && target.digest !== null && !(await isDigestReady(target.name, target.digest)))
        return
      for (let sent = 0; sent < MAX_MESSAGES && !signal.aborted; sent++) {
        const request = { target: target.name, holder, maxEvents: maxEvents(target), now: now() }
        const claim = await store.claimMessage(request)
        if (claim === null || !(await attempt(options, target, claim, signal))) return
      }
    } finally {
      busy.delete(target.name)
    }
  }

  /** Whether to send a digest. One of which a message failed is continued as soon as the target may be retried. */
  const isDigestReady = async (name: string, digest: string) => {
    const state = (await store.targetStates()).find((each) => each.target === name)
    if (state === undefined) return false
    return state.failures > 0 || options.isDigestDue(digest, new Date(state.succeededAt ?? state.since), now())
  }

  return {
    async tick(signal) {
      await store.routeEvents(targetsOf, now())
      const results = await Promise.allSettled(notify.targets.map((target) => drain(target, signal)))
      const failed = results.find((result) => result.status === 'rejected')
      if (failed && !signal.aborted) throw failed.reason
    },
  }
}

/** The names of the targets of an event, each once. */
export function routeTo({ targets, routes }: Pick<NotifyConfig, 'targets' | 'routes'>) {
  const known = new Set(targets.map(({ name }) => name))
  return ({ kind, channel }: EventRecord): string[] => {
    const matching = routes.filter(
      ({ kinds, channels }) =>
        kinds.includes(kind) && (channels === null || channel === null || channels.includes(channel)),
    )
    return [...new Set(matching.flatMap(({ to }) => to))].filter((name) => known.has(name))
  }
}

/**
 * Sends one message and records the result.
 * @returns whether the next message may be sent at once
 */
async function attempt(
  { store, send, now, scrub, onAttempt, random = Math.random }: DelivererOptions,
  target: NotifyTarget,
  claim: Claim,
  signal: AbortSignal,
): Promise<boolean> {
  const events = claim.events as [EventRecord, ...EventRecord[]]
  const stop = AbortSignal.any([signal, AbortSignal.timeout(claim.until.getTime() - now().getTime())])
  const result = await send(target, { messageId: claim.messageId, events }, { now: now(), signal: stop }).catch(
    async (error) => {
      await store.endAttempt(claim, { kind: 'stopped' }, now())
      throw error
    },
  )
  const at = now()
  const end = toEnd(result, claim, at, { random, scrub })
  await store.endAttempt(claim, end, at)
  const retryAt = end.kind === 'failed' ? end.retryAt : null
  const scrubbed = end.kind === 'failed' && result.kind === 'failed' ? { ...result, error: end.error } : result
  onAttempt({ target: target.name, events: events.length, attempt: claim.attempt, result: scrubbed, retryAt })
  return result.kind === 'delivered' || result.because === 'message'
}

function toEnd(
  result: SendResult,
  claim: Claim,
  at: Date,
  { random, scrub }: { random: () => number; scrub: (text: string) => string },
): AttemptEnd {
  if (result.kind === 'delivered') return { kind: 'delivered' }
  const { because, status, error, retryAfterMs } = result
  const failures = because === 'target' ? claim.failures : claim.attempt - 1
  return {
    kind: 'failed',
    because,
    status,
    error: scrub(error),
    retryAt: new Date(at.getTime() + retryPause(failures, retryAfterMs, random)),
    deadBefore: new Date(at.getTime() - DEAD_AFTER_MS),
  }
}
