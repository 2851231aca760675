import { allOf, type Queries } from '../sql-database.js'
import { type EventRow, toEvent } from './event-row.js'
import type { EventFeed } from './outbox-contract.js'

/**
 * SQL: the counter of events, of those that have deliveries, and of those of which some were pruned. All events up to the first are
 * committed (event-writer.ts).
 */
export const counter = (name: 'events' | 'routed events' | 'pruned events') =>
  `(select value from counters where name = '${name}')`

/** The events, in the order in which they were committed. */
export function createEventFeed(queries: Queries): EventFeed {
  const currentOf = async (name: Parameters<typeof counter>[0]) =>
    (await queries.get<{ value: number }>(`select ${counter(name)} as value`))?.value ?? 0
  return {
    async events({ after, kinds, limit }) {
      const newest = await currentOf('events')
      const where = allOf(
        'sequence > @after and sequence <= @newest',
        kinds !== undefined && queries.dialect.anyOf('kind', '@kinds'),
      )
      const rows = await queries.all<EventRow>(`select * from events where ${where} order by sequence limit @limit`, {
        ...{ after, newest, limit },
        kinds: kinds ?? null,
      })
      // Asked last: what is pruned meanwhile is missing.
      const pruned = await currentOf('pruned events')
      const next = rows.length < limit ? newest : (rows.at(-1)?.sequence ?? newest)
      return { items: rows.map(toEvent), next, beginsAt: pruned + 1 }
    },
  }
}
