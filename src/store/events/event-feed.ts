import type { EventRecord } from '../../core/events/events.js'
import { fromStoredText } from '../documents/stored-text.js'
import { findNumber } from '../sql/meta.js'
import { allOf, type Queries } from '../sql/sql-database.js'
import type { EventFeed } from './outbox-contract.js'

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
  run_id: number | null
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
  runId: row.run_id,
  data: JSON.parse(row.data) as EventRecord['data'],
})

/** SQL: the sequence of the newest event, which is never pruned. All events up to it are committed (event-writer.ts). */
export const NEWEST_SEQUENCE = '(select coalesce(max(sequence), 0) from events)'

/** The key of `meta` with the sequence of the newest event that was pruned. */
export const PRUNED_EVENTS = 'pruned_events'

/** Reads events in the order of their commits. */
export function createEventFeed(queries: Queries): EventFeed {
  return {
    async events({ after, kinds, limit }) {
      const newest = (await queries.get<{ newest: number }>(`select ${NEWEST_SEQUENCE} as newest`))?.newest ?? 0
      const where = allOf(
        'sequence > @after and sequence <= @newest',
        kinds !== undefined && queries.dialect.anyOf('kind', '@kinds'),
      )
      const rows = await queries.all<EventRow>(`select * from events where ${where} order by sequence limit @limit`, {
        ...{ after, newest, limit },
        kinds: kinds ?? null,
      })
      // Read last, because events that are pruned during the query are missing.
      const pruned = await findNumber(queries, PRUNED_EVENTS)
      const next = rows.length < limit ? newest : (rows.at(-1)?.sequence ?? newest)
      return { items: rows.map(toEvent), next, beginsAt: pruned + 1 }
    },
  }
}
