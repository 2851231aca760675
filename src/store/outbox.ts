import { randomUUID } from 'node:crypto'
import { byCodeUnit } from '../domain/comparison/numbers.js'
import type { EventRecord } from '../domain/events.js'
import { isCalendarDate } from '../domain/zoned-time.js'
import type { Connection } from './connection.js'
import { createDeliveries } from './deliveries.js'
import { type EventRow, toEvent } from './event-row.js'
import type { EventWriter } from './event-writer.js'
import type { OpenRfq, Outbox } from './outbox-contract.js'
import { createRfqIndex } from './rfq-index.js'
import { storedRfqFacts } from './stored-rfq.js'
import { fromStoredText } from './stored-text.js'

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
export function createOutbox(connection: Connection, events: EventWriter): Outbox {
  const sql = (text: string) => connection.statement(text)
  const presentRfqs = createRfqIndex(connection)
  return {
    ...createDeliveries(connection),

    recordEvent: ({ kind, at, channel, rfqId, key, data }) =>
      connection.write(() => {
        const rfq = channel !== null && rfqId !== undefined ? storedRfqFacts(connection, channel, rfqId) : null
        const describe = () => ({ ...(rfq && { rfq }), ...data })
        const draft = { kind, at: at.toISOString(), channel, rfqId: rfqId ?? null, describe }
        return events.writeOnce(key === undefined ? [kind, randomUUID()] : [kind, ...key], draft)
      }),

    async openRfqsDue(channel, upTo) {
      const due = (await presentRfqs(channel)).flatMap(({ id, state, dueDate }): OpenRfq[] =>
        state === 'open' && dueDate !== null && dueDate <= upTo && isCalendarDate(dueDate)
          ? [{ rfqId: fromStoredText(id), dueDate }]
          : [],
      )
      return due.sort((a, b) => byCodeUnit(a.rfqId, b.rfqId))
    },

    async recordDueRfqs(kind, channel, rfqs, now) {
      const keyOf = ({ rfqId, dueDate }: OpenRfq) => [kind, channel, rfqId, dueDate]
      const isNew = events.areNew(rfqs.map(keyOf))
      const fresh = rfqs.filter((_, at) => isNew[at])
      if (fresh.length === 0) return
      await connection.write(() =>
        events.writeNotices(
          fresh.map((rfq) => ({
            kind,
            key: keyOf(rfq),
            at: now.toISOString(),
            channel,
            rfqId: rfq.rfqId,
            describe: () => {
              const facts = storedRfqFacts(connection, channel, rfq.rfqId)
              return facts ? { rfq: facts } : {}
            },
          })),
        ),
      )
    },

    async routeEvents(targetsOf, now) {
      const at = now.toISOString()
      let created = 0
      for (;;) {
        const found = connection.read((db) => db.prepare(`select 1 ${ROUTABLE} limit 1`).get({ now: at }))
        if (found === undefined) return created
        created += await connection.write(() => {
          const rows = sql(`select e.* ${ROUTABLE} order by e.sequence limit ${EVENTS_PER_TRANSACTION}`).all({
            now: at,
          })
          return (rows as EventRow[]).reduce((sum, row) => sum + route(connection, toEvent(row), targetsOf, at), 0)
        })
      }
    },
  }
}

/** Creates the deliveries of one event. Returns how many. */
function route(
  connection: Connection,
  event: EventRecord,
  targetsOf: (event: EventRecord) => readonly string[],
  at: string,
): number {
  connection.statement('update events set routed_at = ? where sequence = ?').run(at, event.sequence)
  const insert = connection.statement(
    `insert into deliveries (event_id, target, created_at)
    select @id, target, @at from delivery_targets where target = @target and since_sequence < @sequence`,
  )
  const { id, sequence } = event
  return targetsOf(event).reduce((sum, target) => sum + insert.run({ id, target, at, sequence }).changes, 0)
}
