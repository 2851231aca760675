import type { DocumentShape } from '../../core/documents/documents.js'
import { rfqFacts } from '../../core/events/event-facts.js'
import type { RfqFacts } from '../../core/events/events.js'
import type { Queries } from '../sql/sql-database.js'
import { CURRENT_VERSION } from './document-rows.js'

/** RFQs read by one query. */
const RFQS_PER_QUERY = 50

/** The facts of RFQs that events contain, from their newest versions, by id. RFQs that are not stored are absent. */
export async function storedRfqs(
  queries: Queries,
  channel: string,
  rfqIds: readonly string[],
): Promise<Map<string, { facts: RfqFacts; version: number }>> {
  const found = new Map<string, { facts: RfqFacts; version: number }>()
  for (let start = 0; start < rfqIds.length; start += RFQS_PER_QUERY) {
    const rows = await queries.all<{ id: string; text: string; shape: DocumentShape; version: number }>(
      `select e.id, v.body as text, v.shape, v.version from documents e
      join versions v on ${CURRENT_VERSION}
      where e.channel = @channel and e.kind = 'rfq' and e.rfq_id = '' and ${queries.dialect.anyOf('e.id', '@ids')}`,
      { channel, ids: rfqIds.slice(start, start + RFQS_PER_QUERY) },
    )
    for (const { id, text, shape, version } of rows)
      found.set(id, { facts: rfqFacts(id, { body: JSON.parse(text), shape }), version })
  }
  return found
}
