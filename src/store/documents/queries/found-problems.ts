import type { Problem } from '../../../core/documents/lenient-parser.js'
import type { Observations } from '../../events/observed-events.js'
import type { DocumentKey } from '../document-state.js'
import { fromStoredText, toStoredText } from '../stored-text.js'

export interface ProblemKey {
  kind: string
  entity_id: string
  path: string
  code: string
}

/** A problem of a document, and how often it was found. */
interface FoundProblem extends ProblemKey {
  message: string
  stamp: string
  times: number
}

/** The first occurrence of a problem, for its event. */
interface ProblemSource {
  id: string
  kind: string
  problem: Problem
  observed: Observations
}

/** The problems of documents that are recorded together. */
export class FoundProblems {
  readonly #rows = new Map<string, FoundProblem>()
  readonly #sources = new Map<string, ProblemSource>()

  get rows(): FoundProblem[] {
    return [...this.#rows.values()]
  }

  add(
    { kind, id }: DocumentKey,
    problem: Problem,
    { stamp, observed }: { stamp: string; observed: Observations },
  ): void {
    const row = { kind, entity_id: id, path: toStoredText(problem.path), code: problem.code }
    const name = nameOf(row)
    const times = (this.#rows.get(name)?.times ?? 0) + 1
    this.#rows.set(name, { ...row, message: toStoredText(problem.message), stamp, times })
    if (times === 1) this.#sources.set(name, { id: fromStoredText(id), kind, problem, observed })
  }

  /**
   * Adds problems that were not stored before to the observations.
   * @param stored the stored problems; `times` includes these occurrences
   */
  reportNew(stored: readonly (ProblemKey & { times: number })[]): void {
    const isNew = new Set(
      stored.flatMap((row) => (row.times === this.#rows.get(nameOf(row))?.times ? [nameOf(row)] : [])),
    )
    for (const [name, { id, kind, problem, observed }] of this.#sources) {
      if (isNew.has(name)) observed.problems.push({ kind, id, problem })
    }
  }
}

const nameOf = ({ kind, entity_id, path, code }: ProblemKey) => JSON.stringify([kind, entity_id, path, code])
