import type { RfqList, RfqListRow } from '../../read-models/rfq-list.js'
import type { NotFound, RfqAddress } from '../../web/page-queries.js'

interface FoundRfq {
  id: string
  name: string
  row: RfqListRow
}

/** How long names are remembered, so that one page looks them up once, in milliseconds. */
const REMEMBERED_MS = 2_000

/** Finds RFQs by their number where that is unique in the channel, else by their id. */
export function createRfqNames(rfqs: RfqList) {
  const known = new Map<string, { at: number; rows: Promise<RfqListRow[]> }>()

  function rowsOf({ channel, now, asOf }: RfqAddress, fresh: boolean): Promise<RfqListRow[]> {
    const key = `${channel} ${asOf?.toISOString() ?? ''}`
    const at = performance.now()
    for (const [other, { at: since }] of known) if (at - since > REMEMBERED_MS) known.delete(other)
    const found = fresh ? undefined : known.get(key)
    if (found !== undefined) return found.rows
    const rows = rfqs.rows({ channel, now, ...(asOf && { asOf }) })
    known.set(key, { at, rows })
    return rows
  }

  async function look(address: RfqAddress, fresh = false): Promise<FoundRfq | null> {
    const { name } = address
    const row = (await rowsOf(address, fresh)).find((one) => one.name === name || one.id === name)
    if (row !== undefined) return { id: row.id, name: row.name, row }
    // It may have been seen a moment ago.
    return fresh ? null : look(address, true)
  }

  return {
    async find(address: RfqAddress): Promise<FoundRfq | NotFound> {
      const found = await look(address)
      if (found !== null) return found
      const { channel, name, now, asOf } = address
      const current = asOf === undefined ? null : await look({ channel, name, now })
      return {
        notFound:
          current === null
            ? `${channel} has no RFQ ${name}`
            : `RFQ ${name} of ${channel} was not known yet at ${asOf?.toISOString()}`,
      }
    },
  }
}
