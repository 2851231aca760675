import type { EventFilter, EventPage, EventRecord } from '../../core/events/events.js'
import { findNumber } from '../sql/meta.js'
import { allOf, membersOf, type SqlDatabase } from '../sql/sql-database.js'
import { type EventDraft, NEWEST_SEQUENCE, unknownEvents, writeEvents } from './event-writer.js'

/** A row of `events`, with the names of members. */
export type EventRow = Omit<EventRecord, 'data'> & { data: string }

/** The columns of an `EventRow`. */
export const EVENT = membersOf(
  ...['sequence', 'id', 'kind', 'at', 'channel', 'rfqId', 'offerId', 'version', 'text', 'data'],
)

export const toEvent = (row: EventRow): EventRecord => ({ ...row, data: JSON.parse(row.data) as EventRecord['data'] })

/** The key of `meta` with the sequence of the newest event that was pruned. */
export const PRUNED_EVENTS = 'pruned_events'

/** Reads events in the order of their commits, and records those that no run observes. */
export const createEventFeed = (database: SqlDatabase) => ({
  /** All events of a database, in the order of their commits. */
  async events({ after, kinds, limit }: EventFilter): Promise<EventPage> {
    const newest = (await database.get<{ newest: number }>(`select ${NEWEST_SEQUENCE} as newest`))?.newest ?? 0
    const where = allOf(
      'sequence > @after and sequence <= @newest',
      kinds !== undefined && database.dialect.anyOf('kind', '@kinds'),
    )
    const rows = await database.all<EventRow>(
      `select ${EVENT} from events where ${where} order by sequence limit @limit`,
      { after, newest, limit, kinds },
    )
    // Read last, because events that are pruned during the query are missing.
    const pruned = await findNumber(database, PRUNED_EVENTS)
    const next = rows.length < limit ? newest : (rows.at(-1)?.sequence ?? newest)
    return { items: rows.map(toEvent), next, beginsAt: pruned + 1 }
  },

  /** Records events of one channel together, except those whose key is known. */
  async recordEvents(events: readonly EventDraft[]): Promise<void> {
    // Checked first without the write lock, because usually nothing is new.
    const fresh = await unknownEvents(database, events)
    if (fresh.length > 0) await database.write((tx) => writeEvents(tx, fresh))
  },
})
