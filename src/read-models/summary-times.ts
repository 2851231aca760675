import type { ParsedResponse, ParsedRfq } from '../domain/comparison/comparison-input.js'
import { conflictPaths } from '../domain/comparison/offer/newer-summary.js'
import type { RfqAssessmentInput } from '../domain/comparison/rfq-assessment.js'
import { newerSummariesOf } from '../domain/newer-summaries.js'
import type { KnownDocument } from '../domain/records.js'
import { findSummaryConflicts } from '../domain/summary-conflict.js'
import type { History, PollStates } from '../store/contract.js'

/** What is asked of the store to tell whether summaries are newer than offers. */
export type SummaryStore = Pick<History, 'rfqs' | 'problems'> & Pick<PollStates, 'responseStates'>

interface ParsedDocuments {
  rfq: ParsedRfq
  responses: readonly ParsedResponse[]
}

/**
 * Which summaries of an RFQ are newer than what was read of its offers. Asks the store only if a summary differs from its offer.
 * @param asOf undefined for the present
 * @returns null if no summary differs
 * @throws StoreError
 */
export async function readSummaryTimes(
  store: SummaryStore,
  { channel, id, readAt }: KnownDocument,
  parsed: ParsedDocuments,
  asOf: Date | undefined,
): Promise<Pick<RfqAssessmentInput, 'newerSummaries' | 'conflictsOf'> | null> {
  const differing = offersThatDiffer(parsed)
  if (differing.length === 0) return null
  if (asOf === undefined) return { newerSummaries: newerSummariesOf(readAt, await store.responseStates(channel, [id])) }
  const problems = await store.problems({ channel, entityIds: differing })
  const until = asOf.toISOString()
  const conflictsOf = conflictPaths(problems.filter(({ firstSeenAt }) => firstSeenAt <= until))
  return { newerSummaries: 'by-version', conflictsOf }
}

function offersThatDiffer({ rfq, responses }: ParsedDocuments): string[] {
  if (rfq.shape !== 'full' || rfq.document === null) return []
  const summaries = new Map(rfq.document.responses.map((summary) => [summary.id as string, summary]))
  return responses.flatMap((response) =>
    response.shape === 'full' && findSummaryConflicts(summaries.get(response.id) ?? null, response.document).length > 0
      ? [response.id]
      : [],
  )
}
