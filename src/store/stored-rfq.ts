import type { DocumentShape } from '../core/documents.js'
import { rfqFacts } from '../core/event-facts.js'
import type { RfqFacts } from '../core/events.js'
import { CURRENT_VERSION } from './documents/queries.js'
import type { Queries } from './sql-database.js'
import { fromStoredText, toStoredText } from './stored-text.js'

/** What events say of RFQs, from their newest versions, by id. Those that are not stored are absent. */
export async function storedRfqFacts(
  queries: Queries,
  channel: string,
  rfqIds: readonly string[],
): Promise<Map<string, RfqFacts>> {
  if (rfqIds.length === 0) return new Map()
  const rows = await queries.all<{ id: string; text: string; shape: DocumentShape }>(
    `select e.id, coalesce(v.parsed_body, v.body) as text, v.shape from documents e
    join versions v on ${CURRENT_VERSION}
    where e.channel = @channel and e.kind = 'rfq' and e.rfq_id = '' and ${queries.dialect.anyOf('e.id', '@ids')}`,
    { channel, ids: rfqIds.map(toStoredText) },
  )
  return new Map(
    rows.map(({ id, text, shape }) => {
      const rfqId = fromStoredText(id)
      return [rfqId, rfqFacts(rfqId, { body: JSON.parse(text), shape })]
    }),
  )
}
