import type { RfqList, RfqListRow } from '../../read-models/rfq-list.js'
import type { NotFound, RfqAddress } from '../../web/page-queries.js'

/** Finds an RFQ by its number, where that is unique in the channel, or by its id. */
export async function findRfq(list: RfqList, address: RfqAddress): Promise<RfqListRow | NotFound> {
  const { channel, name, now, asOf } = address
  const found = (await list.rows(address)).find((row) => row.name === name || row.id === name)
  if (found !== undefined) return found
  const isKnownNow = asOf !== undefined && !('notFound' in (await findRfq(list, { channel, name, now })))
  return {
    notFound: isKnownNow
      ? `RFQ ${name} of ${channel} was not known yet at ${asOf?.toISOString()}`
      : `${channel} has no RFQ ${name}`,
  }
}
