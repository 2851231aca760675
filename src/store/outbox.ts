import { randomUUID } from 'node:crypto'
import type { Connection } from './connection.js'
import type { EventWriter } from './event-writer.js'
import type { Outbox } from './outbox-contract.js'
import { storedRfqFacts } from './stored-rfq.js'

/** Events that no run observed, and the deliveries of all events. */
export function createOutbox(connection: Connection, events: EventWriter): Outbox {
  return {
    recordEvent: ({ kind, at, channel, rfqId, key, data }) =>
      connection.write(() => {
        const rfq = channel !== null && rfqId !== undefined ? storedRfqFacts(connection, channel, rfqId) : null
        const describe = () => ({ ...(rfq && { rfq }), ...data })
        const draft = { kind, at: at.toISOString(), channel, rfqId: rfqId ?? null, describe }
        return events.writeOnce(key === undefined ? [kind, randomUUID()] : [kind, ...key], draft)
      }),
  }
}
