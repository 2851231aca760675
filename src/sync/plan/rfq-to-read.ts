import type { Problem, ProblemCode } from '../../core/documents/lenient-parser.js'
import type { EntryBody } from '../../core/sources/sources.js'
import type { RfqPollState } from '../../store/contract.js'
import type { RfqEntry } from '../list-entries.js'
import { entryBodyOf } from '../listed-entries.js'
import type { Selection } from './plan-entries.js'
import type { PlannedRfq } from './request-plan-model.js'

/** An RFQ that a poll reads, with what reading and recording it needs of the list and of the plan. */
export interface RfqToRead {
  id: string
  /** As shown to people; null if the list does not say. */
  number: number | null
  /** Of its list entry. */
  entryHash: string
  /** Of its list entry, those that the RFQ itself does not show. */
  listProblems: readonly Problem[]
  /** What the list says of it. Parsed on each access. */
  entry: () => EntryBody
  /** Identifiers of its responses in its list entry. */
  listedResponses: readonly string[]
  /** It was missing until this poll. */
  returned: boolean
  /** The responses to request, and those that are left to the next poll; null: all are requested. */
  planned: Pick<PlannedRfq, 'responses' | 'postponed'> | null
}

/** Problems of a list entry that its detail does not show. */
const LIST_PROBLEMS: readonly ProblemCode[] = [
  'duplicate',
  'omitted',
  'duplicate-key',
  'precision',
  'encoding',
  'api-key',
]

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
    entry: () => entryBodyOf(entry),
    listedResponses: document?.responses?.map((response) => response.id) ?? [],
    returned: (known.get(id)?.missingSince ?? null) !== null,
    planned: planned.get(id) ?? null,
  }
}

/** As shown to people. */
export const nameOf = ({ id, number }: Pick<RfqToRead, 'id' | 'number'>): string => `RFQ ${number ?? id}`
