import type { Problem } from '../domain/lenient-parser.js'
import type { Observation, Rfq, RfqListItem } from '../domain/observation.js'

/** The members of an RFQ that decide whether it is closed. */
const TERMS = ['state', 'responseDueDate'] as const
type Terms = Partial<Record<(typeof TERMS)[number], unknown>>

/** What the entries of a list say about each RFQ, by identifier. Different entries may have the same one. */
export type ListedTerms = ReadonlyMap<string, readonly Terms[]>

/** Collects the terms of all entries before those with the same identifier are merged. */
export function listedTerms(entries: readonly Observation<RfqListItem>[]): ListedTerms {
  const byId = new Map<string, Terms[]>()
  for (const entry of entries) {
    const { id, document, problems } = entry
    // Where nothing deviates from the API description, the document says what the body does.
    const { state, responseDueDate } = ((problems.length === 0 && document) || entry.body || {}) as Terms
    const earlier = byId.get(id)
    if (earlier) earlier.push({ state, responseDueDate })
    else byId.set(id, [{ state, responseDueDate }])
  }
  return byId
}

/**
 * Finds a list entry that contradicts an open RFQ about its state or due date. The list may be wrong, or the RFQ may have
 * changed between the two reads; the next poll shows which (docs/CLOSING.md, rule 2). Absent and null members say nothing.
 */
export function findConflict(listed: ListedTerms, { id, body }: Pick<Observation<Rfq>, 'id' | 'body'>): Problem | null {
  const detail = (body ?? {}) as Terms
  if (detail.state !== 'open') return null
  for (const entry of listed.get(id) ?? []) {
    for (const path of TERMS) {
      const inList = entry[path] ?? null
      if (inList === null || inList === detail[path]) continue
      const message = `the list says ${shown(inList)}, the RFQ itself says ${shown(detail[path])}`
      return { path, code: 'conflict', message }
    }
  }
  return null
}

const shown = (value: unknown) => (typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : `a ${typeof value}`)
