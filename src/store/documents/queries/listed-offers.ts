import { IdMap } from '../../../core/documents/identifier.js'
import { isPlainObject } from '../../../core/documents/json-text.js'
import { identifierOf } from '../../../core/documents/observation.js'
import type { Transaction } from '../../sql/sql-database.js'
import { toStoredText } from '../stored-text.js'

/** Offers that earlier runs recorded from list entries of an RFQ. A poll may record only the entry, and a later one read the offers. */
export interface ListedOffers {
  /** The run that first recorded the RFQ; null if it is new. */
  rfqRunId: number | null
  /** The run that first recorded a list entry with this offer, and when. */
  first: IdMap<{ runId: number; at: string }>
}

export const NOTHING_LISTED: ListedOffers = { rfqRunId: null, first: new IdMap() }

/** Reads what runs before this one recorded. */
export async function listedOffers(
  tx: Transaction,
  run: { id: number; channel: string },
  rfqId: string,
): Promise<ListedOffers> {
  const rows = await tx.all<{ run_id: number; observed_at: string; text: string | null }>(
    `select run_id, observed_at, case when shape = 'list' then body end as text from versions
    where channel = @channel and kind = 'rfq' and rfq_id = '' and id = @id and (version = 1 or shape = 'list')
      and run_id < @runId order by version`,
    { channel: run.channel, id: toStoredText(rfqId), runId: run.id },
  )
  const first = new IdMap<{ runId: number; at: string }>()
  for (const { run_id, observed_at, text } of rows) {
    for (const id of text === null ? [] : offerIdsOf(JSON.parse(text))) {
      if (!first.has(id)) first.set(id, { runId: run_id, at: observed_at })
    }
  }
  return { rfqRunId: rows[0]?.run_id ?? null, first }
}

/** The ids of the offers that the body of an RFQ names. */
function offerIdsOf(body: unknown): string[] {
  const responses = isPlainObject(body) ? body.responses : null
  return Array.isArray(responses) ? responses.flatMap((each) => identifierOf(each) ?? []) : []
}

/** The offers that an RFQ lists; null if its list is not usable: then none is missing because the list does not have it. */
export function listedIn(body: unknown): IdMap<true> | null {
  const responses = isPlainObject(body) ? body.responses : null
  const ids = offerIdsOf(body)
  return Array.isArray(responses) && ids.length === responses.length ? new IdMap(ids.map((id) => [id, true])) : null
}
