import type { Problem, ProblemCode } from '../../core/documents/lenient-parser.js'
import type { RfqPollState } from '../../store/contract.js'
import type { RfqEntry } from '../list-entries.js'
import type { StoredResponses } from '../stored-responses.js'
import type { Selection } from './plan-entries.js'
import type { PlannedRfq } from './request-plan-model.js'

/** An RFQ that a poll reads, with the parts of its list entry and of the plan that reading and recording it need. */
export interface RfqToRead {
  id: string
  /** Null if the list entry has none. */
  number: number | null
  /** Hash of its list entry. */
  entryHash: string
  /** Problems of its list entry that the RFQ itself does not show. */
  listProblems: readonly Problem[]
  /** Identifiers of its responses in its list entry. */
  listedResponses: readonly string[]
  /** Whether it was missing until this poll. */
  returned: boolean
  /** The responses to request and those left to the next poll; null: all are requested. */
  planned: Pick<PlannedRfq, 'responses' | 'postponed'> | null
}

/** Problems of a list entry that the RFQ itself does not show. */
const LIST_PROBLEMS: readonly ProblemCode[] = ['duplicate', 'encoding']

interface ListContext {
  known: ReadonlyMap<string, RfqPollState>
  planned: Selection['planned']
}

/** @param entry that can be read (`isReadable`) */
export function rfqToRead(entry: RfqEntry, { known, planned }: ListContext): RfqToRead {
  const { id, document } = entry
  const listProblems = entry.problems.filter(({ code }) => LIST_PROBLEMS.includes(code))
  return {
    id,
    number: document?.number ?? null,
    entryHash: entry.entryHash,
    listProblems,
    listedResponses: document?.responses?.map((response) => response.id) ?? [],
    returned: (known.get(id)?.missingSince ?? null) !== null,
    planned: planned.get(id) ?? null,
  }
}

/** The name of an RFQ in messages. */
export const nameOf = ({ id, number }: Pick<RfqToRead, 'id' | 'number'>): string => `RFQ ${number ?? id}`

/** The stored state of an RFQ that is read again. */
export interface StoredState {
  rfq: RfqPollState
  responses: StoredResponses
}
