import { createCalendar, createOverdueTest } from '../core/time/expiry.js'
import { addDays } from '../core/time/zoned-time.js'
import type { Outbox } from '../store/events/outbox-contract.js'

/** What is known of a channel to tell which of its RFQs are due. */
export interface ChannelDueDates {
  /** `org/slug`. */
  key: string
  timeZone: string
  graceHours: number
  autoClose: 'on' | 'dry-run' | 'off'
}

/** Where RFQs are closed automatically, they are overdue only when that has not happened within this time. */
const AUTO_CLOSE_HOURS = 1

/**
 * Records which open RFQs are due within some days, and which are overdue. Each is recorded once per due date, so an
 * extended RFQ is recorded again.
 */
export async function recordDueDates(
  store: Pick<Outbox, 'openRfqsDue' | 'recordDueRfqs'>,
  { key, timeZone, graceHours, autoClose }: ChannelDueDates,
  { dueSoonDays, now }: { dueSoonDays: number; now: Date },
): Promise<void> {
  const calendar = createCalendar(timeZone)
  const today = calendar.dateAt(now)
  const rfqs = await store.openRfqsDue(key, addDays(today, dueSoonDays))
  const hours = graceHours + (autoClose === 'on' ? AUTO_CLOSE_HOURS : 0)
  const soon = rfqs.filter(({ dueDate }) => dueDate >= today)
  const isOverdue = createOverdueTest(calendar, hours, now)
  const overdue = rfqs.filter(({ dueDate }) => isOverdue(dueDate))
  await store.recordDueRfqs('rfq.due-soon', key, soon, now)
  await store.recordDueRfqs('rfq.overdue', key, overdue, now)
}
