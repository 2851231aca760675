import { randomUUID } from 'node:crypto'
import type { EventRecord } from '../core/events.js'
import { createDeliveries } from './deliveries.js'
import { createOpenRfqsDue } from './documents/due-rfqs.js'
import { type EventRow, toEvent } from './event-row.js'
import type { EventWriter } from './event-writer.js'
import type { OpenRfq, Outbox } from './outbox-contract.js'
import type { SqlDatabase, Transaction } from './sql-database.js'
import { storedRfqFacts } from './stored-rfq.js'

/** Events routed in one transaction. */
const EVENTS_PER_TRANSACTION = 200

/**
 * Events without deliveries whose run has ended, or lost its lease because its process died. A first poll that was cut short
 * waits for the next poll, which adds to it.
 */
const ROUTABLE = `
from events e left join runs r on r.id = e.run_id
where e.routed_at is null and case
  when r.id is null then true
  when e.kind <> 'channel.first-poll' then r.finished_at is not null or r.lease_until < @now
  else r.finished_at is not null and r.outcome <> 'interrupted' or exists (
    select 1 from runs n where n.channel = r.channel and n.kind = r.kind and n.id > r.id and n.finished_at is not null)
end`

/** Events that no run observed, and the deliveries of all events. */
export function createOutbox(database: SqlDatabase, events: EventWriter): Outbox {
  return {
    ...createDeliveries(database),

    recordEvent: ({ kind, at, channel, rfqId, key, data }) =>
      database.write(async (tx) => {
        const rfqs = channel !== null && rfqId !== undefined ? await storedRfqFacts(tx, channel, [rfqId]) : null
        const rfq = rfqs?.get(rfqId ?? '')
        const describe = () => ({ ...(rfq && { rfq }), ...data })
        const draft = { kind, at: at.toISOString(), channel, rfqId: rfqId ?? null, describe }
        return events.writeOnce(tx, key === undefined ? [kind, randomUUID()] : [kind, ...key], draft)
      }),

    openRfqsDue: createOpenRfqsDue(database),

    async recordDueRfqs(kind, channel, rfqs, now) {
      const keyOf = ({ rfqId, dueDate }: OpenRfq) => [kind, channel, rfqId, dueDate]
      const isNew = await events.areNew(rfqs.map(keyOf))
      const fresh = rfqs.filter((_, at) => isNew[at])
      if (fresh.length === 0) return
      await database.write(async (tx) => {
        const ids = fresh.map(({ rfqId }) => rfqId)
        const known = await storedRfqFacts(tx, channel, ids)
        const describe = (rfqId: string) => {
          const facts = known.get(rfqId)
          return facts ? { rfq: facts } : {}
        }
        const about = { kind, at: now.toISOString(), channel }
        await events.writeNotices(
          tx,
          fresh.map((rfq) => ({ ...about, key: keyOf(rfq), rfqId: rfq.rfqId, describe: () => describe(rfq.rfqId) })),
        )
      })
    },

    async routeEvents(targetsOf, now) {
      const at = now.toISOString()
      let created = 0
      for (;;) {
        const found = await database.get(`select 1 as found ${ROUTABLE} limit 1`, { now: at })
        if (found === undefined) return created
        created += await database.write(async (tx) => {
          await tx.lock('routing of events')
          const rows = await tx.all<EventRow>(
            `select e.* ${ROUTABLE} order by e.sequence limit ${EVENTS_PER_TRANSACTION}`,
            { now: at },
          )
          let deliveries = 0
          for (const row of rows) deliveries += await route(tx, toEvent(row), targetsOf, at)
          return deliveries
        })
      }
    },
  }
}

/** Creates the deliveries of one event. Returns how many. */
async function route(
  tx: Transaction,
  event: EventRecord,
  targetsOf: (event: EventRecord) => readonly string[],
  at: string,
): Promise<number> {
  const { id, sequence } = event
  await tx.run('update events set routed_at = @at where sequence = @sequence', { at, sequence })
  let created = 0
  for (const target of targetsOf(event)) {
    created += await tx.run(
      `insert into deliveries (event_id, target, created_at)
      select @id, target, @at from delivery_targets where target = @target and since_sequence < @sequence`,
      { id, target, at, sequence },
    )
  }
  return created
}
