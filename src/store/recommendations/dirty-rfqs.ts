import type { Transaction } from '../sql/sql-database.js'

/** The changes of a transaction that may affect recommendations. Identifiers are as stored. */
export interface DirtyMarks {
  /** RFQs, with the moment of the first change. */
  rfqs: ReadonlyMap<string, string>
  /** Listings, with the moment of the first change. All RFQs with offers for them are marked. */
  listings: ReadonlyMap<string, string>
}

/** Adds a mark, and keeps the earlier moment. */
export const MARK_AGAIN = `on conflict (channel, rfq_id) do update set marks = dirty_rfqs.marks + 1,
  since = case when excluded.since < dirty_rfqs.since then excluded.since else dirty_rfqs.since end`

/** Marks RFQs whose recommendation must be recomputed, in the transaction of the change. */
export async function markDirty(tx: Transaction, channel: string, { rfqs, listings }: DirtyMarks): Promise<void> {
  const rowsOf = (marks: ReadonlyMap<string, string>) =>
    JSON.stringify([...marks].map(([id, since]) => ({ id, since })))
  if (rfqs.size > 0)
    await tx.run(
      `insert into dirty_rfqs (channel, rfq_id, since)
      select @channel, value ->> 'id', value ->> 'since' from ${tx.dialect.elementsOf('@rows')} where true ${MARK_AGAIN}`,
      { channel, rows: rowsOf(rfqs) },
    )
  if (listings.size > 0)
    await tx.run(
      `insert into dirty_rfqs (channel, rfq_id, since)
      select l.channel, l.rfq_id, min(value ->> 'since') from ${tx.dialect.elementsOf('@rows')}
      join rfq_listings l on l.channel = @channel and l.listing_id = value ->> 'id'
      group by l.channel, l.rfq_id ${MARK_AGAIN}`,
      { channel, rows: rowsOf(listings) },
    )
}
