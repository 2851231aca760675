import type { EventRecord } from '../../core/events/events.js'
import { createOpenRfqsDue } from '../documents/queries/due-rfqs.js'
import { storedRfqs } from '../documents/stored-rfq.js'
import { fromStoredText } from '../documents/stored-text.js'
import { findNumber } from '../sql/meta.js'
import { allOf, type SqlDatabase } from '../sql/sql-database.js'
import type { EventFeed, EventLog } from './event-contract.js'
import { type EventDraft, type EventWriter, NEWEST_SEQUENCE } from './event-writer.js'

/** A row of `events`. */
export interface EventRow {
  sequence: number
  id: string
  kind: EventRecord['kind']
  at: string
  channel: string | null
  rfq_id: string | null
  offer_id: string | null
  version: number | null
  text: string
  data: string
}

export const toEvent = (row: EventRow): EventRecord => ({
  sequence: row.sequence,
  id: row.id,
  kind: row.kind,
  at: row.at,
  channel: row.channel,
  rfqId: row.rfq_id === null ? null : fromStoredText(row.rfq_id),
  offerId: row.offer_id === null ? null : fromStoredText(row.offer_id),
  version: row.version,
  text: row.text,
  data: JSON.parse(row.data) as EventRecord['data'],
})

/** The key of `meta` with the sequence of the newest event that was pruned. */
export const PRUNED_EVENTS = 'pruned_events'

/** Reads events in the order of their commits, and records those that no run observes. */
export function createEventFeed(database: SqlDatabase, writer: EventWriter): EventFeed & EventLog {
  return {
    async events({ after, kinds, limit }) {
      const newest = (await database.get<{ newest: number }>(`select ${NEWEST_SEQUENCE} as newest`))?.newest ?? 0
      const where = allOf(
        'sequence > @after and sequence <= @newest',
        kinds !== undefined && database.dialect.anyOf('kind', '@kinds'),
      )
      const rows = await database.all<EventRow>(`select * from events where ${where} order by sequence limit @limit`, {
        ...{ after, newest, limit },
        kinds: kinds ?? null,
      })
      // Read last, because events that are pruned during the query are missing.
      const pruned = await findNumber(database, PRUNED_EVENTS)
      const next = rows.length < limit ? newest : (rows.at(-1)?.sequence ?? newest)
      return { items: rows.map(toEvent), next, beginsAt: pruned + 1 }
    },

    async recordEvents(events) {
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

    openRfqsDue: createOpenRfqsDue(database),
  }
}
