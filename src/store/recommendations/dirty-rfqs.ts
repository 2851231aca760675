import type { Transaction } from '../sql/sql-database.js'

/** What changed in a transaction and may affect recommendations. Identifiers are as stored. */
export interface DirtyMarks {
  rfqs: ReadonlySet<string>
  /** All RFQs with offers for them are marked. */
  listings: ReadonlySet<string>
}

/** Adds a mark to rows of `documents` that a condition finds. */
export const MARK_RFQS = `update documents set marks = marks + 1 where kind = 'rfq' and rfq_id = ''`

/** Marks RFQs whose recommendation must be recomputed, in the transaction of the change. */
export async function markDirty(tx: Transaction, channel: string, { rfqs, listings }: DirtyMarks): Promise<void> {
  const { anyOf } = tx.dialect
  const ids = `${MARK_RFQS} and channel = @channel and ${anyOf('id', '@ids')}`
  if (rfqs.size > 0) await tx.run(ids, { channel, ids: [...rfqs] })
  if (listings.size > 0)
    await tx.run(
      `${MARK_RFQS} and channel = @channel
      and id in (select rfq_id from documents where channel = @channel and ${anyOf('listing_id', '@listings')})`,
      { channel, listings: [...listings] },
    )
}
