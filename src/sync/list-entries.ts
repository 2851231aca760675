import { contentHash } from '../core/documents/canonical-json.js'
import type { SubjectKind } from '../core/documents/documents.js'
import type { Problem } from '../core/documents/lenient-parser.js'
import type { Observation, RfqListItem } from '../core/documents/observation.js'
import { byCodeUnit } from '../core/numbers.js'
import { entryTermsOf } from '../core/sources/sources.js'
import { TimeSlice } from '../core/time/time-slice.js'

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

/** Further entries with one identifier that are kept, and again as many that decide about closing. */
const MAX_OTHERS = 10

/** What is known of the entries with one identifier. */
interface Found<T> {
  last: ListEntry<T>
  others: Observation<T>[]
  hashes: Set<string>
  /** What the kept ones say about what decides whether an RFQ is closed. */
  terms: Set<string>
}

/**
 * Maps the entries of a list by identifier, in the order in which they are stored: what is recorded together is stored together, so
 * that fewer pages of the database are written. If several share one, equal entries count once; if they differ, the last
 * one is kept, with a problem, and with ten others; of more, those that say something else about state or due date, ten at most.
 */
export async function dedupeById<T>(
  kind: SubjectKind,
  observed: readonly Observation<T>[],
): Promise<Map<string, ListEntry<T>>> {
  const slice = new TimeSlice()
  const byId = new Map<string, Found<T>>()
  for (const each of observed) {
    const hash = each.hash ?? contentHash(kind, each.exactBody)
    // Not a copy: the content of an entry may not be parsed yet.
    const entry = Object.assign(each, { hash, entryHash: hash })
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

/** Among ten with different terms are two that disagree: then the list does not say one thing. */
function keepOther<T>({ others, terms }: Found<T>, entry: ListEntry<T>): void {
  if (others.length >= 2 * MAX_OTHERS || others.some(({ hash }) => hash === entry.hash)) return
  const said = JSON.stringify(entryTermsOf({ body: entry.body, isAmbiguous: false }))
  if (others.length >= MAX_OTHERS && terms.has(said)) return
  terms.add(said)
  others.push(entry)
}

const withOthers = <T>(id: string, { last, others, hashes }: Found<T>): ListEntry<T> =>
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
