import { addDays } from '../core/time/calendar-days.js'
import { createCalendar, createOverdueTest } from '../core/time/expiry.js'
import type { Outbox } from '../store/events/outbox-contract.js'

/** The settings of a channel that decide which of its RFQs are due. */
export interface ChannelDueDates {
  /** `org/slug`. */
  key: string
  timeZone: string
  graceHours: number
  autoClose: 'on' | 'dry-run' | 'off'
}

/** If RFQs are closed automatically, they count as overdue only after this additional time. */
const AUTO_CLOSE_HOURS = 1

/**
 * Records which open RFQs are due within some days, and which are overdue, once per RFQ and due date. An RFQ whose due date was extended is
 * recorded again.
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
