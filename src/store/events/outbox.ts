import type { EventRecord } from '../../core/events/events.js'
import { createOpenRfqsDue } from '../documents/queries/due-rfqs.js'
import { storedRfqs } from '../documents/stored-rfq.js'
import { findNumber, setMeta } from '../sql/meta.js'
import type { Queries, SqlDatabase, Transaction } from '../sql/sql-database.js'
import { createDeliveries } from './deliveries.js'
import { type EventRow, toEvent } from './event-feed.js'
import type { EventWriter } from './event-writer.js'
import type { OpenRfq, Outbox } from './outbox-contract.js'

/** The key of `meta` with the sequence of the newest event whose deliveries were created. */
const ROUTED_EVENTS = 'routed_events'

/** Events routed in one transaction. */
const EVENTS_PER_TRANSACTION = 200

/** Records events that no run observed, and delivers all events. */
export function createOutbox(database: SqlDatabase, events: EventWriter): Outbox {
  return {
    ...createDeliveries(database),

    recordEvent: ({ kind, at, channel, rfqId, key, data }) =>
      database.write(async (tx) => {
        const rfqs = channel !== null && rfqId !== undefined ? await storedRfqs(tx, channel, [rfqId]) : null
        const rfq = rfqs?.get(rfqId ?? '')
        const draft = {
          ...{ kind, at: at.toISOString(), channel, rfqId: rfqId ?? null, version: rfq?.version ?? null },
          ...(key !== undefined && { key: [kind, ...key] }),
          describe: () => ({ ...(rfq && { rfq: rfq.facts }), ...data }),
        }
        return (await events.write(tx, [draft])) === 1
      }),

    openRfqsDue: createOpenRfqsDue(database),

    async recordDueRfqs(kind, channel, rfqs, now) {
      const keyOf = ({ rfqId, dueDate }: OpenRfq) => [kind, channel, rfqId, dueDate]
      const isNew = await events.areNew(rfqs.map(keyOf))
      const fresh = rfqs.filter((_, at) => isNew[at])
      if (fresh.length === 0) return
      await database.write(async (tx) => {
        const ids = fresh.map(({ rfqId }) => rfqId)
        const known = await storedRfqs(tx, channel, ids)
        const drafts = fresh.map((rfq) => {
          const { facts, version = null } = known.get(rfq.rfqId) ?? {}
          const about = { kind, at: now.toISOString(), channel, rfqId: rfq.rfqId, version }
          return { ...about, key: keyOf(rfq), describe: () => (facts ? { rfq: facts } : {}) }
        })
        await events.write(tx, drafts)
      })
    },

    async routeEvents(targetsOf, now) {
      const at = now.toISOString()
      for (let created = 0; ; ) {
        if ((await nextEvents(database, 1)).length === 0) return created
        created += await database.write((tx) => routeBatch(tx, targetsOf, at))
      }
    },
  }
}

/** Creates the deliveries of the next events, and returns how many. */
async function routeBatch(
  tx: Transaction,
  targetsOf: (event: EventRecord) => readonly string[],
  at: string,
): Promise<number> {
  await tx.lock(ROUTED_EVENTS)
  const rows = await nextEvents(tx, EVENTS_PER_TRANSACTION)
  const byTarget = new Map<string, number[]>()
  for (const row of rows) {
    for (const target of targetsOf(toEvent(row))) byTarget.set(target, [...(byTarget.get(target) ?? []), row.sequence])
  }
  let created = 0
  for (const [target, sequences] of byTarget) {
    created += await tx.run(
      `insert into deliveries (event_id, target, created_at)
      select e.id, t.target, @at from events e join delivery_targets t on t.target = @target and t.since_sequence < e.sequence
      where ${tx.dialect.anyOf('e.sequence', '@sequences')} order by e.sequence`,
      { target, at, sequences },
    )
  }
  const last = rows.at(-1)
  if (last !== undefined) await setMeta(tx, ROUTED_EVENTS, last.sequence)
  return created
}

/** The oldest events without deliveries. */
const nextEvents = async (queries: Queries, limit: number): Promise<EventRow[]> =>
  queries.all<EventRow>('select * from events where sequence > @routed order by sequence limit @limit', {
    routed: await findNumber(queries, ROUTED_EVENTS),
    limit,
  })
