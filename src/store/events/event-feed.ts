import type { EventData, EventFilter, EventKind, EventPage, EventRecord } from '../../core/events/events.js'
import { storedRfqs } from '../documents/stored-rfq.js'
import { findNumber } from '../sql/meta.js'
import { allOf, membersOf, type SqlDatabase } from '../sql/sql-database.js'
import { type EventDraft, type EventWriter, NEWEST_SEQUENCE } from './event-writer.js'

/** An event that no run observed. */
export interface NewEvent {
  kind: EventKind
  at: Date
  channel: string | null
  /** The RFQ of the event, whose facts are added to the data. */
  rfqId?: string
  /** Identifies what happened: only one event with a kind and key is ever recorded. Default: the event is always recorded. */
  key?: readonly string[]
  data: EventData
}

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
export function createEventFeed(database: SqlDatabase, writer: EventWriter) {
  return {
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

    /** Records events together, except those whose key is known. */
    async recordEvents(events: readonly NewEvent[]): Promise<void> {
      // Checked first without the write lock, because usually nothing is new.
      const isNew = await writer.areNew(events)
      const fresh = events.filter((_, at) => isNew[at])
      if (fresh.length === 0) return
      await database.write(async (tx) => {
        const drafts: EventDraft[] = []
        for (const { kind, at, channel, rfqId, key, data } of fresh) {
          const known = channel !== null && rfqId !== undefined ? await storedRfqs(tx, channel, [rfqId]) : null
          const rfq = known?.get(rfqId ?? '')
          drafts.push({
            ...{ kind, at: at.toISOString(), channel, rfqId: rfqId ?? null, version: rfq?.version ?? null },
            ...(key && { key }),
            data: { ...(rfq && { rfq: rfq.facts }), ...data },
          })
        }
        await writer.write(tx, drafts)
      })
    },
  }
}
