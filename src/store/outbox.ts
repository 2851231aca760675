import { randomUUID } from 'node:crypto'
import type { EventRecord } from '../domain/events.js'
import { type Connection, yieldToEventLoop } from './connection.js'
import { createDeliveries } from './deliveries.js'
import { type EventRow, toEvent } from './event-row.js'
import type { EventWriter } from './event-writer.js'
import type { OpenRfq, Outbox } from './outbox-contract.js'
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

/** RFQs read before yielding to the event loop: their bodies are slow to parse. */
const RFQS_PER_TURN = 500

/** SQLite rejects some texts that are valid JSON; such an RFQ has no due date here. */
const JSON_TEXT = `case when json_valid(coalesce(v.parsed_body, v.body)) then coalesce(v.parsed_body, v.body) else '{}' end`
const PRESENT_RFQS = `
select e.id, json_extract(${JSON_TEXT}, '$.state') as state, json_extract(${JSON_TEXT}, '$.responseDueDate') as due
from entities e join versions v using (channel, kind, rfq_id, id, version)
where e.channel = ? and e.kind = 'rfq' and e.rfq_id = '' and e.missing_since is null and e.id > ?
order by e.id limit ${RFQS_PER_TURN}`

const CALENDAR_DATE = /^\d{4}-\d{2}-\d{2}$/

/** Events that no run observed, and the deliveries of all events. */
export function createOutbox(connection: Connection, events: EventWriter): Outbox {
  const sql = (text: string) => connection.statement(text)
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
      const found: OpenRfq[] = []
      for (let after = ''; ; ) {
        const rows = connection.read((db) => db.prepare(PRESENT_RFQS).all(channel, after)) as RfqRow[]
        for (const { id, state, due } of rows) {
          const isDue = state === 'open' && typeof due === 'string' && CALENDAR_DATE.test(due) && due <= upTo
          if (isDue) found.push({ rfqId: fromStoredText(id), dueDate: due })
        }
        if (rows.length < RFQS_PER_TURN) return found
        after = rows.at(-1)?.id ?? after
        await yieldToEventLoop()
      }
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

interface RfqRow {
  id: string
  state: unknown
  due: unknown
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
