import type { ChannelConfig, Config } from '../config/contract.js'
import { addDays } from '../core/time/calendar-days.js'
import type { Clock } from '../core/time/clock.js'
import { createCalendar, isExpired } from '../core/time/expiry.js'
import { createPollChecks, type PollCheck, type PollConfig } from '../readiness/poll-freshness.js'
import type { EventDraft, Store } from '../store/contract.js'

/** If RFQs are closed automatically, they count as overdue only after this additional time. */
const AUTO_CLOSE_HOURS = 1

interface WatchOptions {
  config: PollConfig & Pick<Config, 'channels' | 'notify'>
  store: Store
  now: Clock
}

/** Creates a function that records the events that no poll observes: due dates and late polls. */
export function createWatch({ config, store, now }: WatchOptions): () => Promise<void> {
  const checkPolls = createPollChecks(config, store)
  let isFirst = true
  return async () => {
    const moment = now()
    for (const channel of config.channels)
      await store.recordEvents(await dueEvents(store, channel, { dueSoonDays: config.notify.dueSoonDays, now: moment }))
    // After a long stop every poll is late until the first one has ended.
    if (!isFirst) await store.recordEvents((await checkPolls(moment)).flatMap((poll) => lateEvent(poll, moment)))
    isFirst = false
  }
}

/**
 * The open RFQs of a channel that are due within some days, and those that are overdue, once per RFQ and due date: one whose due date was
 * extended is recorded again.
 */
async function dueEvents(
  store: Store,
  { key: channel, timeZone, graceHours, autoClose }: ChannelConfig,
  { dueSoonDays, now }: { dueSoonDays: number; now: Date },
): Promise<EventDraft[]> {
  const calendar = createCalendar(timeZone)
  const today = calendar.dateAt(now)
  const rfqs = await store.openRfqsDue(channel, addDays(today, dueSoonDays))
  const grace = graceHours + (autoClose === 'on' ? AUTO_CLOSE_HOURS : 0)
  const toEvent = (kind: EventDraft['kind'], { rfqId, dueDate }: (typeof rfqs)[number]): EventDraft => ({
    ...{ kind, at: now.toISOString(), channel, rfqId, key: [channel, rfqId, dueDate], data: {} },
  })
  return [
    ...rfqs.filter(({ dueDate }) => dueDate >= today).map((rfq) => toEvent('rfq.due-soon', rfq)),
    ...rfqs.filter(({ dueDate }) => isExpired(dueDate, calendar, grace, now)).map((rfq) => toEvent('rfq.overdue', rfq)),
  ]
}

/** The event of a late poll: one until a complete poll of this kind. */
function lateEvent({ channel, kind, ok, completeAt, error }: PollCheck, now: Date): EventDraft[] {
  if (ok) return []
  const reason = error ?? (completeAt === null ? 'none so far' : `the last one ended at ${completeAt}`)
  const data = { poll: { kind, lastCompleteAt: completeAt }, reason, remedy: 'see the polls with: quotekeeper runs' }
  return [{ kind: 'channel.behind', at: now.toISOString(), channel, key: [channel, kind, completeAt ?? ''], data }]
}
