import type { RfqList, RfqListRow } from '../../read-models/rfq-list.js'
import type { NotFound, RfqAddress } from '../../web/page-queries.js'

/** How long the rows of a channel serve to find RFQs, in milliseconds: someone who tries settings asks for the same page often. */
const ROWS_SERVE_MS = 2000

export type FindRfq = (address: RfqAddress) => Promise<RfqListRow | NotFound>

/** Finds an RFQ by its number, where that is unique in the channel, or by its id. */
export function createRfqFinder(list: RfqList): FindRfq {
  /** The channel that was read last, in its current state. */
  let recent = { channel: '', readAt: 0, rows: [] as readonly RfqListRow[] }

  const readRows = async (address: RfqAddress) => {
    const rows = await list.rows(address)
    const { channel, asOf } = address
    if (asOf === undefined && rows.length > 0) recent = { channel, readAt: performance.now(), rows }
    return rows
  }

  const recentRows = ({ channel, asOf }: RfqAddress): readonly RfqListRow[] => {
    const isRecent = channel === recent.channel && performance.now() - recent.readAt < ROWS_SERVE_MS
    return asOf === undefined && isRecent ? recent.rows : []
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
