import { isPlainObject } from './exact-json.js'
import { type ListedChanges, listedChangesOf } from './listed-changes.js'
import type { KnownDocument } from './records.js'

/**
 * What the list says otherwise than the RFQ: a newer list, or that of the poll that read the RFQ.
 * @returns null if they agree; as of a past moment, only the poll that had read the RFQ counts
 */
export const listedOf = (
  rfq: Pick<KnownDocument, 'body' | 'readAt' | 'listed' | 'listConflict'>,
): ListedChanges | null => listedChangesOf(rfq) ?? listConflictOf(rfq)

/**
 * What the list said otherwise in the poll that last read the RFQ, or had said at a past moment.
 * @returns null if they agreed, and if a newer list is known (listedChangesOf)
 */
function listConflictOf({
  body,
  readAt,
  listed,
  listConflict,
}: Pick<KnownDocument, 'body' | 'readAt' | 'listed' | 'listConflict'>): ListedChanges | null {
  if (listConflict === null || listed !== null) return null
  // A closing round has read since that it is closed.
  if (isPlainObject(body) && body.state !== 'open' && !listConflict.ambiguous) return null
  const { state, responseDueDate, ambiguous, since, rfqReadAt } = listConflict
  const own = [...(state ? [state.own] : []), ...(responseDueDate ? [`due ${responseDueDate.own}`] : [])]
  return {
    // As of a past moment, and if the RFQ was not read since: when the list was read that first said so.
    at: readAt !== null && (rfqReadAt === null || readAt > since) ? readAt : since,
    readAt: readAt ?? rfqReadAt ?? since,
    ...{ fulfilmentDueDate: null, offersGone: [], offersNew: [], fields: [] },
    state: state?.listed ?? null,
    responseDueDate: responseDueDate?.listed ?? null,
    ...(own.length > 0 && { own: state ? own.join(', ') : (responseDueDate?.own ?? '') }),
    ...(ambiguous && { ambiguous }),
  }
}
