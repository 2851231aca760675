import type { DocumentShape } from '../domain/documents.js'
import { rfqFacts } from '../domain/event-facts.js'
import type { RfqFacts } from '../domain/events.js'
import type { Connection } from './connection.js'
import { toStoredText } from './stored-text.js'

/** What events say of an RFQ, from its newest version; null if it is not stored. Within a transaction only. */
export function storedRfqFacts(connection: Connection, channel: string, rfqId: string): RfqFacts | null {
  const row = connection
    .statement(
      `select coalesce(v.parsed_body, v.body) as text, v.shape from entities e
      join versions v using (channel, kind, rfq_id, id, version)
      where e.channel = ? and e.kind = 'rfq' and e.rfq_id = '' and e.id = ?`,
    )
    .get(channel, toStoredText(rfqId)) as { text: string; shape: DocumentShape } | undefined
  return row ? rfqFacts(rfqId, { body: JSON.parse(row.text), shape: row.shape }) : null
}
