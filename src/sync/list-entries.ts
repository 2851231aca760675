import { contentHash } from '../domain/canonical.js'
import type { Problem } from '../domain/conform.js'
import type { Kind, Observed } from '../domain/observed.js'

/** An element of a list with the hash of its content. */
export interface ListEntry<T> extends Observed<T> {
  hash: string
}

/**
 * The elements of a list by identifier. Of elements that share one, equal ones count once and the later of different
 * ones is kept, with a problem (reliability.md, fault 19).
 */
export function dedupeById<T>(kind: Kind, observed: readonly Observed<T>[]): Map<string, ListEntry<T>> {
  const byId = new Map<string, ListEntry<T>>()
  for (const element of observed) {
    const hash = contentHash(kind, element.body)
    const earlier = byId.get(element.id)
    const problems = earlier && earlier.hash !== hash ? [...element.problems, duplicate(element.id)] : element.problems
    byId.set(element.id, { ...element, problems, hash })
  }
  return byId
}

const duplicate = (id: string): Problem => ({
  path: '',
  code: 'duplicate',
  message: `the list has several different entries with the identifier ${id.slice(0, 80)}; the last one counts`,
})
