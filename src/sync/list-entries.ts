import { contentHash } from '../core/documents/canonical-json.js'
import type { SubjectKind } from '../core/documents/documents.js'
import { IdMap } from '../core/documents/identifier.js'
import type { Problem } from '../core/documents/lenient-parser.js'
import { entryTermsOf } from '../core/documents/list-contradiction.js'
import { isAmbiguous, type Observation, type RfqListItem } from '../core/documents/observation.js'
import { byCodeUnit } from '../core/numbers.js'
import { TimeSlice } from '../core/time/time-slice.js'
import type { ListRead, RfqPollState, Snapshot } from '../store/contract.js'
import type { Poll } from './poll.js'

/** An entry of the list of RFQs. */
export type RfqEntry = ListEntry<RfqListItem>

/** An entry of a list with the hash of its content. */
export interface ListEntry<T> extends Observation<T> {
  hash: string
  /** Hash of all entries with its identifier, whatever their order. */
  entryHash: string
  /** Earlier entries with the same identifier and different content. */
  others?: Observation<T>[]
}

/** Further entries kept per identifier; as many again are kept if they differ in what decides about closing. */
const MAX_OTHERS = 10

/** The entries with one identifier. */
interface EntryGroup<T> {
  last: ListEntry<T>
  others: Observation<T>[]
  hashes: Set<string>
  /** The states and due dates of the kept entries, which decide about closing. */
  terms: Set<string>
}

/**
 * Maps the entries of a list by identifier, sorted, so that entries recorded together are stored together and fewer database pages
 * are written. Equal entries with one identifier count once. If they differ, the last one is used, with a problem, and up to ten
 * others are kept, plus up to ten more that differ in state or due date.
 * @param stored identifiers that are stored: an entry has the one with which it was first listed
 */
export async function dedupeById<T>(
  kind: SubjectKind,
  observed: readonly Observation<T>[],
  stored: Iterable<string> = [],
): Promise<Map<string, ListEntry<T>>> {
  const slice = new TimeSlice()
  const byId = new Map<string, EntryGroup<T>>()
  const ids = new IdMap([...stored].map((id) => [id, id]))
  for (const each of observed) {
    const hash = each.hash ?? contentHash(kind, each.exactBody)
    // Not a copy: the content of an entry may not be parsed yet.
    const entry = Object.assign(each, { id: ids.get(each.id) ?? each.id, hash, entryHash: hash })
    ids.set(entry.id, entry.id)
    const found = byId.get(entry.id)
    if (found === undefined) byId.set(entry.id, { last: entry, others: [], hashes: new Set([hash]), terms: new Set() })
    else if (found.last.hash !== hash) {
      keepOther(found, found.last)
      found.hashes.add(hash)
      found.last = entry
    }
    if (slice.isOver) await slice.next()
  }
  const entries = [...byId].sort(([a], [b]) => byCodeUnit(a, b))
  return new Map(entries.map(([id, found]) => [id, found.hashes.size === 1 ? found.last : withOthers(id, found)]))
}

/** Ten entries with different terms are enough to show that the list is ambiguous. */
function keepOther<T>({ others, terms: knownTerms }: EntryGroup<T>, entry: ListEntry<T>): void {
  if (others.length >= 2 * MAX_OTHERS || others.some(({ hash }) => hash === entry.hash)) return
  const terms = JSON.stringify(entryTermsOf({ body: entry.body, isAmbiguous: false }))
  if (others.length >= MAX_OTHERS && knownTerms.has(terms)) return
  knownTerms.add(terms)
  others.push(entry)
}

const withOthers = <T>(id: string, { last, others, hashes }: EntryGroup<T>): ListEntry<T> =>
  Object.assign(last, {
    others: others.filter(({ hash }) => hash !== last.hash),
    problems: [...last.problems, duplicateProblem(id)],
    entryHash: contentHash('rfq-entry', [...hashes].sort()),
  })

const duplicateProblem = (id: string): Problem => ({
  path: '',
  code: 'duplicate',
  message: `the list contains several different entries with the identifier ${id.slice(0, 80)}; the last one is used`,
})

/**
 * Records the list entries that changed since the last list. This happens before the RFQs are read, so that entries of RFQs that are
 * postponed, cannot be read or are not reached are known too (docs/CLOSING.md, rule 2).
 */
export async function recordEntries(
  { context, run }: Poll,
  entries: ReadonlyMap<string, RfqEntry>,
  known: ReadonlyMap<string, RfqPollState>,
  read: ListRead,
): Promise<void> {
  const changed = [...entries.values()].filter((entry) => known.get(entry.id)?.entryHash !== entry.entryHash)
  if (changed.length > 0) await context.store.recordEntries(run, changed.map(toSnapshot), read, context.now())
}

const losesNothing = ({ losesNothing = false, body, exactBody }: Observation<RfqListItem>) =>
  losesNothing || exactBody === body

function toSnapshot(entry: RfqEntry): Snapshot {
  // Not a copy: its content may not be parsed yet.
  if (entry.others === undefined) return entry
  const all = [...entry.others, entry]
  const body = all.map((each) => each.body)
  return {
    id: entry.id,
    body,
    exactBody: all.every(losesNothing) ? body : all.map(({ exactBody }) => exactBody),
    text: all.every(({ text }) => text !== null) ? `[${all.map(({ text }) => text).join()}]` : null,
    valid: all.every(({ valid }) => valid),
    // Ambiguous if one of them is.
    problems: all.filter(isAmbiguous).flatMap(({ problems }) => problems),
    hash: entry.entryHash,
  }
}
