import { isCalendarDate } from '../../../core/time/calendar-days.js'
import type { Closings, EventLog } from '../../contract.js'
import type { Queries } from '../../sql/sql-database.js'
import { fromStoredText } from '../stored-text.js'

interface DueRow {
  id: string
  due_date: string | null
}

/** Finds open RFQs that are due by a day. Reads columns only, not the documents. */
export const createOpenRfqsDue =
  (queries: Queries): EventLog['openRfqsDue'] =>
  async (channel, upTo) => {
    const rows = await queries.all<DueRow & { due_date: string }>(
      `select id, due_date from documents
      where channel = @channel and kind = 'rfq' and state = 'open' and due_date <= @upTo and missing_since is null
      order by id`,
      { channel, upTo },
    )
    return rows.flatMap(({ id, due_date }) =>
      isCalendarDate(due_date) ? [{ rfqId: fromStoredText(id), dueDate: due_date }] : [],
    )
  }

/** Each condition is a range of the index documents_due, unlike `state is distinct from 'closed'`. */
const UNCLOSED = ["state < 'closed'", "state > 'closed'", 'state is null']
  .map((condition) => `select id, due_date from documents where channel = @channel and kind = 'rfq' and ${condition}`)
  .join(' union all ')

/** Finds RFQs that are not closed, except those that are due later. */
export const createUnclosedRfqs =
  (queries: Queries): Closings['unclosedRfqs'] =>
  async ({ channel, dueBefore }) => {
    const rows = await queries.all<DueRow>(`${UNCLOSED} order by id`, { channel })
    return rows.flatMap(({ id, due_date: date }) =>
      dueBefore !== undefined && date !== null && isCalendarDate(date) && date >= dueBefore ? [] : [fromStoredText(id)],
    )
  }
