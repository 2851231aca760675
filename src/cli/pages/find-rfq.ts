import type { RfqList, RfqListRow } from '../../read-models/rfq-list.js'
import type { NotFound, RfqAddress } from '../../web/page-queries.js'

/** How long the rows of a channel serve to find RFQs, in milliseconds: someone who tries settings asks for the same page often. */
const ROWS_SERVE_MS = 2000

export type FindRfq = (address: RfqAddress) => Promise<RfqListRow | NotFound>

/** Finds an RFQ by its number, where that is unique in the channel, or by its id. */
export function createRfqFinder(list: RfqList): FindRfq {
  /** By channel; of the current state only. */
  const recent = new Map<string, { readAt: number; rows: RfqListRow[] }>()

  const readRows = async (address: RfqAddress) => {
    const rows = await list.rows(address)
    if (address.asOf === undefined) recent.set(address.channel, { readAt: performance.now(), rows })
    return rows
  }

  const recentRows = ({ channel, asOf }: RfqAddress): RfqListRow[] => {
    const known = asOf === undefined ? recent.get(channel) : undefined
    return known !== undefined && performance.now() - known.readAt < ROWS_SERVE_MS ? known.rows : []
  }

  return async function find(address): Promise<RfqListRow | NotFound> {
    const { channel, name, now, asOf } = address
    const isNamed = (row: RfqListRow) => row.name === name || row.id === name
    const found = recentRows(address).find(isNamed) ?? (await readRows(address)).find(isNamed)
    if (found !== undefined) return found
    const isKnownNow = asOf !== undefined && !('notFound' in (await find({ channel, name, now })))
    return {
      notFound: isKnownNow
        ? `RFQ ${name} of ${channel} was not known yet at ${asOf?.toISOString()}`
        : `${channel} has no RFQ ${name}`,
    }
  }
}
