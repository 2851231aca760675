import type { KnownListConflict, ListConflict } from '../core/records.js'

/**
 * SQL: whether a document with its version `v` is valid, and, if it is an RFQ, not contradicted by the list.
 * @param collection the row that has its channel and kind
 */
export const validUnlessContradicted = (collection: string, document = collection): string =>
  `case when ${collection}.kind = 'rfq' and exists (select 1 from list_conflicts f
    where f.channel = ${collection}.channel and f.id = ${document}.id and f.ended_at is null) then 0 else v.valid end as valid`

/**
 * SQL of both engines: conflicts that an earlier version of Quotekeeper kept as `valid = 0` of the newest version of an RFQ, until the
 * next poll. What the list said is in the problems; that it was not valid is what must not change.
 */
export const CONFLICTS_BEFORE = `
insert into list_conflicts (channel, id, since, said, run_id)
select v.channel, v.id, case when min(p.first_seen_at) > v.observed_at then min(p.first_seen_at) else v.observed_at end,
  '{"ambiguous":true}', v.run_id
from entities e
join versions v on v.channel = e.channel and v.kind = e.kind and v.rfq_id = e.rfq_id and v.id = e.id and v.version = e.version
join problems p on p.channel = e.channel and p.kind = e.kind and p.entity_id = e.id
where e.kind = 'rfq' and v.valid = 0 and p.code in ('conflict', 'duplicate-key', 'precision') and p.last_seen_at >= e.last_read_at
  and not exists (select 1 from list_conflicts f where f.channel = e.channel and f.id = e.id and f.ended_at is null)
group by v.channel, v.id, v.observed_at, v.run_id;
`

/** SQL that joins the conflict `f` of the RFQ of a row, if there is one, now or at @asOf. */
export const joinConflict = (row: string, moment: 'now' | 'asOf'): string => `
left join list_conflicts f on f.channel = ${row}.channel and f.id = ${row}.id and ${row}.kind = 'rfq'
  and ${moment === 'now' ? 'f.ended_at is null' : 'f.since <= @asOf and (f.ended_at is null or f.ended_at > @asOf)'}`

/** SQL: whether the document of a row and of its version `v` is valid, with the conflict `f`. */
export const VALID = 'case when f.since is null then v.valid else 0 end as valid'

/** SQL: the columns of the conflict `f`. */
export const CONFLICT = 'f.since as conflict_since, f.said as conflict_said, f.rfq_read_at as conflict_read_at'

/** A conflict as it is stored; equal texts for equal conflicts. */
export function conflictText(conflict: ListConflict | null): string | null {
  if (conflict === null) return null
  const { state, responseDueDate, ambiguous } = conflict
  return JSON.stringify({ state, responseDueDate, ambiguous })
}

/** The columns of CONFLICT; all null if there is none. */
export interface ConflictColumns {
  conflict_since: string | null
  conflict_said: string | null
  conflict_read_at: string | null
}

export const toConflict = (row: ConflictColumns): KnownListConflict | null =>
  row.conflict_since === null || row.conflict_said === null
    ? null
    : {
        ...(JSON.parse(row.conflict_said) as ListConflict),
        since: row.conflict_since,
        rfqReadAt: row.conflict_read_at,
      }
