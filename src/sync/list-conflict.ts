import type { Problem } from '../core/lenient-parser.js'
import type { Observation, Rfq, RfqListItem } from '../core/observation.js'
import type { ListConflict } from '../core/records.js'

/** The members of an RFQ that decide whether it is closed. */
const TERMS = ['state', 'responseDueDate'] as const
/** Characters of a value that are kept. */
const MAX_SHOWN = 80
/** A value of one; `object` for what is no text, number or Boolean. */
type Term = string | number | boolean | null | { readonly object: true }
/** What an entry of a list says of an RFQ. */
export type Terms = Readonly<Record<(typeof TERMS)[number], Term>>

/** What the entries of a list say about each RFQ, by identifier. Different entries may have the same one. */
export type ListedTerms = ReadonlyMap<string, readonly Terms[]>

/** Collects the terms of all entries before those with the same identifier are merged. */
export function listedTerms(entries: readonly Observation<RfqListItem>[]): ListedTerms {
  const byId = new Map<string, Terms[]>()
  for (const entry of entries) {
    const { id, document, problems } = entry
    // Where nothing deviates from the API description, the document says what the body does.
    const { state, responseDueDate } = ((problems.length === 0 && document) || entry.body || {}) as Body
    const terms = { state: toTerm(state), responseDueDate: toTerm(responseDueDate) }
    const earlier = byId.get(id)
    if (earlier) earlier.push(terms)
    else byId.set(id, [terms])
  }
  return byId
}

type Body = { readonly [Name in keyof Terms]?: unknown }

/** An infinite number, of which JSON knows none, contradicts every value, as an object does. */
function toTerm(value: unknown): Term {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  return typeof value === 'number' && Number.isFinite(value) ? value : { object: true }
}

/**
 * Finds where list entries contradict an open RFQ about its state or due date. The list may be wrong, or the RFQ may have
 * changed between the two reads; the next poll shows which (docs/CLOSING.md, rule 2). Absent and null members say nothing.
 * @param listed what each entry of the RFQ says; of each member, the first contradiction is found
 * @returns null if there is none
 */
export function findConflict(
  listed: readonly Terms[],
  { body }: Pick<Observation<Rfq>, 'body'>,
): { conflict: ListConflict; problems: Problem[] } | null {
  const detail = (body ?? {}) as Body
  if (detail.state !== 'open') return null
  const conflict: ListConflict = {}
  const problems: Problem[] = []
  for (const path of TERMS) {
    const own = detail[path]
    const entry = listed.find((each) => each[path] !== null && each[path] !== own)
    if (entry === undefined) continue
    conflict[path] = { listed: inWords(entry[path]), own: inWords(own) }
    const message = `the list says ${quoted(entry[path])}, the RFQ itself says ${quoted(own)}`
    problems.push({ path, code: 'conflict', message })
  }
  return problems.length === 0 ? null : { conflict, problems }
}

/**
 * How the list contradicts an open RFQ, also by an entry that is ambiguous.
 * @param isAmbiguous parsing its entry lost something that matters
 */
export function conflictWith(
  listed: readonly Terms[],
  isAmbiguous: boolean,
  rfq: Pick<Observation<Rfq>, 'body'>,
): { conflict: ListConflict | null; problems: Problem[] } {
  const found = findConflict(listed, rfq)
  const conflict =
    found || isAmbiguous ? { ...found?.conflict, ...(isAmbiguous && { ambiguous: true as const }) } : null
  return { conflict, problems: found?.problems ?? [] }
}

const inWords = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, MAX_SHOWN) : `a ${typeof value}`
const quoted = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(inWords(value)) : inWords(value))
