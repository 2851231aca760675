import type { KnownListConflict, ListConflict } from '../domain/records.js'

/**
 * SQL: whether a document with its version `v` is valid, and, if it is an RFQ, not contradicted by the list.
 * @param collection the row that has its channel and kind
 */
export const validUnlessContradicted = (collection: string, document = collection): string =>
  `case when ${collection}.kind = 'rfq' and exists (select 1 from list_conflicts f
    where f.channel = ${collection}.channel and f.id = ${document}.id and f.ended_at is null) then 0 else v.valid end as valid`

/** SQL that joins the conflict `f` of the RFQ of a row, if there is one, now or at @asOf. */
export const joinConflict = (row: string, moment: 'now' | 'asOf'): string => `
left join list_conflicts f on f.channel = ${row}.channel and f.id = ${row}.id and ${row}.kind = 'rfq'
  and ${moment === 'now' ? 'f.ended_at is null' : 'f.since <= @asOf and (f.ended_at is null or f.ended_at > @asOf)'}`

/** SQL: whether the document of a row and of its version `v` is valid, with the conflict `f`. */
export const VALID = 'case when f.since is null then v.valid else 0 end as valid'

/** SQL: the columns of the conflict `f`. */
export const CONFLICT = 'f.since as conflict_since, f.said as conflict_said'

/** A conflict as it is stored; equal texts for equal conflicts. */
export function conflictText(conflict: ListConflict | null): string | null {
  if (conflict === null) return null
  const { state, responseDueDate, ambiguous } = conflict
  return JSON.stringify({ state, responseDueDate, ambiguous })
}

export const toConflict = (since: string | null, said: string | null): KnownListConflict | null =>
  since === null || said === null ? null : { ...(JSON.parse(said) as ListConflict), since }
