import type { Config } from '../src/config/contract.js'
import { compileCron } from '../src/config/cron.js'
import type { Clock } from '../src/core/time/clock.js'
import type { SendMessage } from '../src/notify/contract.js'
import { type Attempt, createDeliverer } from '../src/notify/deliverer.js'
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

/** Sends notifications, and records events that no poll observes: due dates and late polls. */
export interface Notifications {
  start(): Promise<void>
  /** Sends what is due. Never rejects. */
  deliver(): Promise<void>
  /** Records due dates and late polls. Never rejects. */
  watch(): Promise<void>
  /** Aborts messages that are being sent and waits for their end; they are sent again after the next start. */
  stop(): Promise<void>
}

const DELIVER_MS = 5_000
const WATCH_MS = 300_000

/**
 * Sends notifications in this process, not on the queue: the events are in the database, and a target that does not answer must not
 * occupy a worker. Several processes may do so on one database. Polls never wait for it.
 */
export function createNotifications(options: NotificationOptions): Notifications {
  const { config, store, now, log } = options
  const { notify, channels, scheduleTimeZone } = config
  const stopped = new AbortController()
  const timers: NodeJS.Timeout[] = []
  const checkPolls = createPollChecks(config, store)
  const running = new Set<Promise<void>>()
  const deliverer = createDeliverer({
    ...options,
    targets: notify.targets,
    lastDigest: (digest, upTo) => compileCron(digest, scheduleTimeZone).lastTick({ after: new Date(0), upTo }),
    onAttempt: (attempt) => logAttempt(attempt, log),
  })
  const tracked = (what: string, work: () => Promise<void>) => {
    const run = work().catch((error) => {
      if (!stopped.signal.aborted) log.warn({ err: error }, `${what} failed; it will be retried`)
    })
    running.add(run)
    return run.finally(() => running.delete(run))
  }
  let isFirstWatch = true
  const watch = async () => {
    const moment = now()
    for (const channel of channels) {
      await recordDueDates(store, channel, { dueSoonDays: notify.dueSoonDays, now: moment })
    }
    // After a long stop every poll is late until the first one has ended.
    if (!isFirstWatch) await store.recordEvents((await checkPolls(moment)).flatMap((poll) => lateEvent(poll, moment)))
    isFirstWatch = false
  }
  const self: Notifications = {
    deliver: () => tracked('sending notifications', () => deliverer.tick(stopped.signal)),
    watch: () => tracked('checking due dates and late polls', watch),
    async start() {
      await store.setTargets(notify.targets, now())
      timers.push(setInterval(() => void self.watch(), WATCH_MS).unref())
      void self.watch()
      if (notify.targets.length === 0) return
      timers.push(setInterval(() => void self.deliver(), DELIVER_MS).unref())
      void self.deliver()
    },
    async stop() {
      for (const timer of timers) clearInterval(timer)
      stopped.abort(new Error('the service is shutting down'))
      await Promise.all(running)
    },
  }
  return self
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
