import { addDays } from '../core/time/calendar-days.js'
import { createCalendar, createOverdueTest } from '../core/time/expiry.js'
import type { NewEvent, Store } from '../store/contract.js'

/** The settings of a channel that decide which of its RFQs are due. */
interface ChannelDueDates {
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
  store: Pick<Store, 'openRfqsDue' | 'recordEvents'>,
  { key: channel, timeZone, graceHours, autoClose }: ChannelDueDates,
  { dueSoonDays, now }: { dueSoonDays: number; now: Date },
): Promise<void> {
  const calendar = createCalendar(timeZone)
  const today = calendar.dateAt(now)
  const rfqs = await store.openRfqsDue(channel, addDays(today, dueSoonDays))
  const isOverdue = createOverdueTest(calendar, graceHours + (autoClose === 'on' ? AUTO_CLOSE_HOURS : 0), now)
  const toEvent = (kind: NewEvent['kind'], { rfqId, dueDate }: (typeof rfqs)[number]): NewEvent => ({
    ...{ kind, at: now, channel, rfqId, key: [channel, rfqId, dueDate], data: {} },
  })
  await store.recordEvents([
    ...rfqs.filter(({ dueDate }) => dueDate >= today).map((rfq) => toEvent('rfq.due-soon', rfq)),
    ...rfqs.filter(({ dueDate }) => isOverdue(dueDate)).map((rfq) => toEvent('rfq.overdue', rfq)),
  ])
}
