import type { Config } from '../src/config/contract.js'
import { compileCron } from '../src/config/cron.js'
import type { Clock } from '../src/core/time/clock.js'
import type { NotifyTarget, SendMessage } from '../src/notify/contract.js'
import { type Attempt, deliverTo } from '../src/notify/deliverer.js'
import { recordDueDates } from '../src/notify/due-dates.js'
import { createPollChecks, type PollCheck } from '../src/readiness/poll-freshness.js'
import type { NewEvent, Store, Targets } from '../src/store/contract.js'
import type { Log } from './contract.js'

export interface NotificationOptions {
  config: Pick<Config, 'channels' | 'schedule' | 'scheduleTimeZone' | 'requests' | 'notify'>
  store: Targets & Pick<Store, 'openRfqsDue' | 'recordEvents' | 'runs' | 'newestCompleteRun'>
  send: SendMessage
  /** Removes secrets from an error before it is stored or logged. */
  scrub: (text: string) => string
  now: Clock
  log: Log
  random?: () => number
}

/**
 * Sends notifications, and records events that no poll observes, in this process, not on the queue: the events are in the database, and a
 * target that does not answer must not occupy a worker. Several processes may do so on one database. Polls never wait for it.
 */
export function createNotifications(options: NotificationOptions) {
  const { config, store, now, log } = options
  const { notify, channels, scheduleTimeZone } = config
  const checkPolls = createPollChecks(config, store)
  const delivery = {
    ...options,
    lastDigest: (digest: string, upTo: Date) =>
      compileCron(digest, scheduleTimeZone).lastTick({ after: new Date(0), upTo }),
    onAttempt: (attempt: Attempt) => logAttempt(attempt, log),
  }
  let isFirstWatch = true
  return {
    /** Sends what is due to a target. What is being sent when the signal is aborted is sent again later. */
    deliver: (target: NotifyTarget, signal: AbortSignal) => deliverTo(target, delivery, signal),
    /** Records due dates and late polls. */
    async watch(): Promise<void> {
      const moment = now()
      for (const channel of channels) {
        await recordDueDates(store, channel, { dueSoonDays: notify.dueSoonDays, now: moment })
      }
      // After a long stop every poll is late until the first one has ended.
      if (!isFirstWatch) await store.recordEvents((await checkPolls(moment)).flatMap((poll) => lateEvent(poll, moment)))
      isFirstWatch = false
    },
  }
}

/** The event of a late poll: one until a complete poll of this kind. */
function lateEvent({ channel, kind, ok, completeAt, error }: PollCheck, at: Date): NewEvent[] {
  if (ok) return []
  const reason = error ?? (completeAt === null ? 'none so far' : `the last one ended at ${completeAt}`)
  const data = { poll: { kind, lastCompleteAt: completeAt }, reason, remedy: 'see the polls with: quotekeeper runs' }
  return [{ kind: 'channel.behind', at, channel, key: [channel, kind, completeAt ?? ''], data }]
}

function logAttempt({ result, retryAt, passedOver, ...facts }: Attempt, log: Log): void {
  if (result.kind === 'delivered') {
    if (result.warning === undefined) log.info(facts, 'notification sent')
    else log.warn({ ...facts, warning: result.warning }, 'notification sent in part')
    return
  }
  const { status, error } = result
  log.warn(
    { ...facts, status, error, ...(retryAt && { retryAt }), ...(passedOver > 0 && { passedOver }) },
    result.kind === 'refused'
      ? 'notification refused; its events are passed over'
      : 'notification could not be sent; it will be retried',
  )
}
