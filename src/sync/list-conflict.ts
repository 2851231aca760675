import type { Problem } from '../domain/lenient-parser.js'
import { conflictMessage } from '../domain/list-conflict.js'
import type { Observation, Rfq, RfqListItem } from '../domain/observation.js'

/** The members of an RFQ that decide whether it is closed. */
const TERMS = ['state', 'responseDueDate'] as const
/** A value of one; `object` for what is no text, number or Boolean. */
type Term = string | number | boolean | null | { readonly object: true }
/** What an entry of a list says of an RFQ, as plain JSON. */
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
 * Finds a list entry that contradicts an open RFQ about its state or due date. The list may be wrong, or the RFQ may have
 * changed between the two reads; the next poll shows which (docs/CLOSING.md, rule 2). Absent and null members say nothing.
 * @param listed what each entry of the RFQ says
 */
export function findConflict(listed: readonly Terms[], { body }: Pick<Observation<Rfq>, 'body'>): Problem | null {
  const detail = (body ?? {}) as Body
  if (detail.state !== 'open') return null
  for (const entry of listed) {
    for (const path of TERMS) {
      const inList = entry[path]
      if (inList === null || inList === detail[path]) continue
      const message = conflictMessage(shown(inList), shown(detail[path]))
      return { path, code: 'conflict', message }
    }
  }
  return null
}

const shown = (value: unknown) => (typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : `a ${typeof value}`)
