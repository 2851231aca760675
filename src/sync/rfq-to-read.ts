import type { Problem, ProblemCode } from '../core/lenient-parser.js'
import type { RfqPollState } from '../store/contract.js'
import type { ListedTerms, Terms } from './list-conflict.js'
import type { RfqEntry, Selection } from './plan-entries.js'
import type { PlannedRfq } from './request-plan-model.js'

/** An RFQ that a poll reads, with what reading and recording it needs of the list and of the plan. */
export interface RfqToRead {
  id: string
  /** As shown to people; null if the list does not say. */
  number: number | null
  /** Of its list entry. */
  listHash: string
  /** Of its list entry, those that the RFQ itself does not show. */
  listProblems: readonly Problem[]
  /** Parsing its list entry lost something that matters. */
  listIsLossy: boolean
  /** Identifiers of its responses in its list entry. */
  listedResponses: readonly string[]
  /** What each list entry with its identifier says. */
  terms: readonly Terms[]
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
  terms: ListedTerms
  known: ReadonlyMap<string, RfqPollState>
  planned: Selection['planned']
}

/** @param entry that can be read (`isReadable`) */
export function rfqToRead(entry: RfqEntry, { terms, known, planned }: ListContext): RfqToRead {
  const { id, hash, document } = entry
  const listProblems = entry.problems.filter(({ code }) => LIST_PROBLEMS.includes(code))
  return {
    id,
    number: document?.number ?? null,
    listHash: hash,
    listProblems,
    listIsLossy: isLossy(entry),
    listedResponses: document?.responses?.map((response) => response.id) ?? [],
    terms: terms.get(id) ?? [],
    returned: (known.get(id)?.missingSince ?? null) !== null,
    planned: planned.get(id) ?? null,
  }
}

/** Whether parsing a list entry lost something that matters. */
export const isLossy = ({ valid, problems }: Pick<RfqEntry, 'valid' | 'problems'>): boolean =>
  !valid && problems.some(({ code }) => code === 'duplicate-key' || code === 'precision')

/** As shown to people. */
export const nameOf = ({ id, number }: Pick<RfqToRead, 'id' | 'number'>): string => `RFQ ${number ?? id}`
