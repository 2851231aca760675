import { isCalendarDate } from '../../../core/time/calendar-days.js'
import type { Queries } from '../../sql/sql-database.js'

interface DueRow {
  id: string
  due_date: string | null
}

/** Each condition is a range of the index documents_due, unlike `state is distinct from 'closed'`. */
const UNCLOSED = ["state < 'closed'", "state > 'closed'", 'state is null']
  .map((condition) => `select id, due_date from documents where channel = @channel and kind = 'rfq' and ${condition}`)
  .join(' union all ')

/** Finds RFQs by state and due date. Reads columns only, not the documents. */
export const createDueRfqs = (queries: Queries) => ({
  /** Open RFQs of a channel that are not missing and due by a day (YYYY-MM-DD), in the order of their ids. */
  async openRfqsDue(channel: string, upTo: string): Promise<{ rfqId: string; dueDate: string }[]> {
    const rows = await queries.all<DueRow & { due_date: string }>(
      `select id, due_date from documents
      where channel = @channel and kind = 'rfq' and state = 'open' and due_date <= @upTo and missing_since is null
      order by id`,
      { channel, upTo },
    )
    return rows.flatMap(({ id, due_date }) => (isCalendarDate(due_date) ? [{ rfqId: id, dueDate: due_date }] : []))
  },

  /**
   * The RFQs of a channel that are not closed, including missing ones, and those whose state or due date is unknown. `dueBefore`
   * (YYYY-MM-DD): without RFQs that are due on this date or later.
   */
  async unclosedRfqs({ channel, dueBefore }: { channel: string; dueBefore?: string }): Promise<string[]> {
    const rows = await queries.all<DueRow>(`${UNCLOSED} order by id`, { channel })
    return rows.flatMap(({ id, due_date: date }) =>
      dueBefore !== undefined && date !== null && isCalendarDate(date) && date >= dueBefore ? [] : [id],
    )
  },
})
