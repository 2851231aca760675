import type { Transaction } from '../sql/sql-database.js'

/** What changed in a transaction and may affect recommendations. Identifiers are as stored. */
export interface DirtyMarks {
  rfqs: ReadonlySet<string>
  /** All RFQs with offers for them are marked. */
  listings: ReadonlySet<string>
}

/** Adds a mark. */
export const MARK_AGAIN = 'on conflict (channel, rfq_id) do update set marks = dirty_rfqs.marks + 1'

/** Marks RFQs whose recommendation must be recomputed, in the transaction of the change. */
export async function markDirty(tx: Transaction, channel: string, { rfqs, listings }: DirtyMarks): Promise<void> {
  const rowsOf = (ids: ReadonlySet<string>) => JSON.stringify([...ids].map((id) => ({ id })))
  if (rfqs.size > 0)
    await tx.run(
      `insert into dirty_rfqs (channel, rfq_id)
      select @channel, value ->> 'id' from ${tx.dialect.elementsOf('@rows')} where true ${MARK_AGAIN}`,
      { channel, rows: rowsOf(rfqs) },
    )
  if (listings.size > 0)
    await tx.run(
      `insert into dirty_rfqs (channel, rfq_id)
      select distinct channel, rfq_id from documents
      where channel = @channel and ${tx.dialect.anyOf('listing_id', '@listings')} ${MARK_AGAIN}`,
      { channel, listings: [...listings] },
    )
}
