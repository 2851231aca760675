import { isPlainObject } from './exact-json.js'
import { type ListedChanges, listedChangesOf } from './listed-changes.js'
import type { KnownDocument } from './records.js'

/**
 * What the list says otherwise than the RFQ: a newer list, or that of the poll that read the RFQ.
 * @returns null if they agree; as of a past moment, only what contradicts the state or the response due date is known
 */
export const listedOf = (
  rfq: Pick<KnownDocument, 'body' | 'readAt' | 'listed' | 'listConflict'>,
): ListedChanges | null => listedChangesOf(rfq) ?? listConflictOf(rfq)

/**
 * How the list contradicts the state or the response due date, now or at a past moment.
 * @returns null if they agreed, or agree with what was read since
 */
function listConflictOf({
  body,
  readAt,
  listConflict,
}: Pick<KnownDocument, 'body' | 'readAt' | 'listConflict'>): ListedChanges | null {
  if (listConflict === null) return null
  const { since, rfqReadAt, ambiguous } = listConflict
  // What a closing round has read since may agree with the list, or contradict it in other words.
  const stays = (name: 'state' | 'responseDueDate') => {
    const own = isPlainObject(body) && typeof body[name] === 'string' ? body[name] : (listConflict[name]?.own ?? '')
    const said = listConflict[name]?.listed
    return said === undefined || said === own ? null : { said, own }
  }
  const state = stays('state')
  const due = stays('responseDueDate')
  if (state === null && due === null && !ambiguous) return null
  const own = [...(state ? [state.own] : []), ...(due ? [`due ${due.own}`] : [])]
  return {
    ...{ at: since, readAt: readAt ?? rfqReadAt ?? since },
    ...{ fulfilmentDueDate: null, offersGone: [], offersNew: [], fields: [] },
    ...{ state: state?.said ?? null, responseDueDate: due?.said ?? null },
    ...(own.length > 0 && { own: state ? own.join(', ') : (due?.own ?? '') }),
    ...(ambiguous && { ambiguous }),
  }
}
