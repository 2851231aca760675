import type { ParsedResponse, ParsedRfq } from '../compare/input/comparison-input.js'
import { findLastSummaries } from '../compare/input/last-summaries.js'
import { conflictPaths } from '../compare/offer/newer-summary.js'
import type { RfqAssessmentInput } from '../compare/rfq/rfq-assessment.js'
import type { KnownDocument } from '../core/records.js'
import { findSummaryConflicts, newerSummariesOf } from '../core/sources/offer-sources.js'
import type { History, PollStates } from '../store/contract.js'

/** What is asked of the store to tell whether summaries are newer than offers. */
export type SummaryStore = Pick<History, 'rfqs' | 'problems'> & Pick<PollStates, 'responseStates'>

interface ParsedDocuments {
  rfq: ParsedRfq
  responses: readonly ParsedResponse[]
}

/**
 * Which summaries of an RFQ are newer than what was read of its offers, and what it last said of offers that are missing. Asks the store
 * only if a summary differs from its offer, or an offer is missing.
 * @param asOf undefined for the present
 * @returns null if no summary differs, and no missing offer was accepted
 * @throws StoreError
 */
export async function readSummaryTimes(
  store: SummaryStore,
  { channel, id, readAt }: KnownDocument,
  parsed: ParsedDocuments,
  asOf: Date | undefined,
): Promise<Pick<RfqAssessmentInput, 'newerSummaries' | 'lastSummaries' | 'conflictsOf'> | null> {
  const differing = offersThatDiffer(parsed)
  const lastSummaries = await findLastSummaries(parsed.responses, async (moment) => {
    const [then] = await store.rfqs({ channel, asOf: moment, ids: [id], withoutResponses: true })
    return then?.rfq
  })
  if (differing.length === 0 && lastSummaries.size === 0) return null
  const problems = await store.problems({ channel, entityIds: [...differing, ...lastSummaries.keys()] })
  const until = asOf?.toISOString()
  const conflictsOf = conflictPaths(problems.filter(({ firstSeenAt }) => until === undefined || firstSeenAt <= until))
  const newerSummaries =
    asOf === undefined ? newerSummariesOf(readAt, await store.responseStates(channel, [id])) : 'by-version'
  return { newerSummaries, lastSummaries, conflictsOf }
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
