import { contentHash } from '../core/canonical-json.js'
import type { SubjectKind } from '../core/documents.js'
import type { Problem } from '../core/lenient-parser.js'
import { byCodeUnit } from '../core/numbers.js'
import type { Observation, RfqListItem } from '../core/observation.js'
import { TimeSlice } from '../core/time-slice.js'

/** An entry of the list of RFQs. */
export type RfqEntry = ListEntry<RfqListItem>

/** An entry of a list with the hash of its content. */
export interface ListEntry<T> extends Observation<T> {
  hash: string
  /** Of all that the list has under its identifier, whatever the order. */
  entryHash: string
  /** Earlier entries with the same identifier and another content. */
  others?: Observation<T>[]
}

/**
 * Maps the entries of a list by identifier, in the order in which they are stored: what is recorded together is stored together, so
 * that fewer pages of the database are written. If several share one, equal entries count once; if they differ, the last
 * one is kept, with the others and a problem.
 */
export async function dedupeById<T>(
  kind: SubjectKind,
  observed: readonly Observation<T>[],
): Promise<Map<string, ListEntry<T>>> {
  const slice = new TimeSlice()
  const byId = new Map<string, ListEntry<T>>()
  for (const entry of observed) {
    const hash = entry.hash ?? contentHash(kind, entry.exactBody)
    const earlier = byId.get(entry.id)
    const isTwin = earlier !== undefined && earlier.hash !== hash
    const others = isTwin ? [...(earlier.others ?? []), earlier] : earlier?.others
    const problems = isTwin ? [...entry.problems, duplicateProblem(entry.id)] : entry.problems
    // Not a copy: the content of an entry may not be parsed yet.
    byId.set(entry.id, Object.assign(entry, { problems, hash, entryHash: hash, ...(others && { others }) }))
    if (slice.isOver) await slice.next()
  }
  for (const entry of byId.values()) if (entry.others) entry.entryHash = hashOfAll([...entry.others, entry])
  return new Map([...byId].sort(([a], [b]) => byCodeUnit(a, b)))
}

const hashOfAll = (entries: readonly Observation<unknown>[]): string =>
  contentHash('rfq-entry', entries.map((entry) => entry.hash ?? contentHash('rfq-entry', entry.exactBody)).sort())

const duplicateProblem = (id: string): Problem => ({
  path: '',
  code: 'duplicate',
  message: `the list contains several different entries with the identifier ${id.slice(0, 80)}; the last one is used`,
})
