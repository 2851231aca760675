import { contentHash } from '../core/documents/canonical-json.js'
import { IdMap } from '../core/documents/identifier.js'
import type { Observation, RfqListItem } from '../core/documents/observation.js'
import { byCodeUnit } from '../core/numbers.js'
import { TimeSlice } from '../core/time/time-slice.js'
import type { ListedDocument } from '../store/contract.js'

/** An entry of the list of RFQs. */
export type RfqEntry = ListEntry<RfqListItem>

/** An entry of a list; of several with one identifier that differ, the last one. */
export interface ListEntry<T> extends Observation<T> {
  /** Hash of all entries with its identifier, whatever their order. */
  entryHash: string
  /** The earlier ones. */
  others: Observation<T>[]
}

/**
 * Maps the entries of a list by identifier, sorted, so that entries recorded together are stored together and fewer database pages
 * are written. Equal entries with one identifier count once; differing ones are a problem.
 * @param stored identifiers that are stored: an entry has the one with which it was first listed
 */
export async function dedupeById<T>(
  observed: readonly Observation<T>[],
  stored: Iterable<string> = [],
): Promise<Map<string, ListEntry<T>>> {
  const slice = new TimeSlice()
  const ids = new IdMap([...stored].map((id) => [id, id]))
  const byId = new Map<string, Map<string, Observation<T>>>()
  for (const each of observed) {
    const id = ids.get(each.id) ?? each.id
    ids.set(id, id)
    const { hash } = each
    const twins = byId.get(id) ?? new Map<string, Observation<T>>()
    byId.set(id, twins)
    twins.delete(hash)
    twins.set(hash, { ...each, id })
    if (slice.isOver) await slice.next()
  }
  return new Map([...byId].sort(([a], [b]) => byCodeUnit(a, b)).map(([id, twins]) => [id, toEntry(id, twins)]))
}

function toEntry<T>(id: string, twins: ReadonlyMap<string, Observation<T>>): ListEntry<T> {
  const hashes = [...twins.keys()]
  const others = [...twins.values()]
  const last = others.pop() as Observation<T>
  if (others.length === 0) return { ...last, entryHash: last.hash, others }
  const message = `the list contains several different entries with the identifier ${id.slice(0, 80)}`
  return {
    ...last,
    others,
    problems: [...last.problems, { path: '', code: 'duplicate' as const, message }],
    entryHash: contentHash('rfq-entry', hashes.sort()),
  }
}

/** What is recorded of an identifier in a list: the entry, or the array of those that differ. */
export function toSnapshot<T>(entry: ListEntry<T>): ListedDocument {
  if (entry.others.length === 0) return entry
  const all = [...entry.others, entry]
  return {
    ...entry,
    text: `[${all.map(({ text }) => text).join()}]`,
    valid: all.every(({ valid }) => valid),
    ...{ hash: entry.entryHash, textHash: entry.entryHash, bodies: all.length },
  }
}
