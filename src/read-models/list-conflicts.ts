import { listConflictOf } from '../domain/list-conflict.js'
import { type ListedChanges, listedChangesOf } from '../domain/listed-changes.js'
import type { KnownDocument } from '../domain/records.js'
import type { History } from '../store/contract.js'

/**
 * What the list says otherwise than each RFQ: a newer list, or that of the poll that read it. Asks the store for problems only if an
 * RFQ is not valid.
 * @param rfqs of one channel
 * @returns by id, without RFQs that the list agrees with, and without those as of a past moment
 * @throws StoreError
 */
export async function readListed(
  store: Pick<History, 'problems'>,
  rfqs: readonly KnownDocument[],
): Promise<Map<string, ListedChanges>> {
  const invalid = rfqs.filter(({ valid, readAt, listed }) => !valid && readAt !== null && listed === null)
  const [first] = invalid
  const problems =
    first === undefined ? [] : await store.problems({ channel: first.channel, entityIds: invalid.map(({ id }) => id) })
  return new Map(
    rfqs.flatMap((rfq) => {
      const listed = listedChangesOf(rfq) ?? listConflictOf(rfq, problems)
      return listed === null ? [] : [[rfq.id, listed] as const]
    }),
  )
}
