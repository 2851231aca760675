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
 * @returns null if they agreed, if the entry was only ambiguous, and if a newer list is known (listedChangesOf)
 */
function listConflictOf({
  readAt,
  listed,
  listConflict,
}: Pick<KnownDocument, 'readAt' | 'listed' | 'listConflict'>): ListedChanges | null {
  if (listConflict === null || listed !== null) return null
  const { state, responseDueDate, since } = listConflict
  const own = [...(state ? [state.own] : []), ...(responseDueDate ? [`due ${responseDueDate.own}`] : [])]
  if (own.length === 0) return null
  // When it was read is not known of a past moment.
  const at = readAt ?? since
  return {
    ...{ at, readAt: at, fulfilmentDueDate: null, offersGone: [], offersNew: [], fields: [] },
    state: state?.listed ?? null,
    responseDueDate: responseDueDate?.listed ?? null,
    own: state ? own.join(', ') : (responseDueDate?.own ?? ''),
  }
}
