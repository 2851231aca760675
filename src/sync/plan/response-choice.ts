import type { ListedResponse } from '../../marketplace/rfq-reader.js'
import type { ResponsePollState } from '../../store/contract.js'
import type { StoredResponses } from '../stored-responses.js'
import type { PlannedRfq, ReadReason } from './request-plan-model.js'

/** Whether the last request for a document was in vain: one that was not has the time of the read, whatever the clocks say. */
export const lastRequestFailed = ({
  readAt,
  requestedAt,
}: Pick<ResponsePollState, 'readAt' | 'requestedAt'>): boolean => requestedAt !== null && requestedAt !== readAt

/** Why a stored response must be read whatever its age, given its present summary; null if it need not be. */
export function reasonToReadNow(state: ResponsePollState, summaryHash: string | null): ReadReason | null {
  const { readAt, requestedAt, missingSince } = state
  if (readAt === null && requestedAt === null) return 'never read'
  if (missingSince !== null) return 'changed'
  if (lastRequestFailed(state)) return summaryHash === state.summaryHash ? 'failed' : 'summary changed'
  return summaryHash === null || summaryHash !== state.readSummaryHash ? 'summary changed' : null
}

/** What is done with a response: it is requested, or only its summary is recorded. */
export interface ResponseChoice {
  request: Set<string>
  /** Not requested; stored in full, so that its summary shows only that it still exists. */
  observe: Set<string>
  /** Should have been requested, but requests did not suffice. */
  postponed: number
  /** Requests left. */
  left: number
}

/**
 * Chooses the responses to request, once the RFQ has been read: those of the plan, and those whose summaries are new or have
 * changed since the plan was made, while requests are left.
 */
export function chooseResponses(
  listed: readonly ListedResponse[],
  { responses, postponed }: Pick<PlannedRfq, 'responses' | 'postponed'>,
  stored: StoredResponses = new Map(),
  left = 0,
): ResponseChoice {
  const choice: ResponseChoice = { request: new Set(), observe: new Set(), postponed: 0, left: left + responses.size }
  for (const { id } of listed) if (responses.has(id)) choice.request.add(id)
  choice.left -= choice.request.size
  for (const { id, summaryHash } of listed) {
    if (choice.request.has(id)) continue
    const state = stored.get(id)
    const isPostponed = postponed.has(id)
    const reason = state === undefined ? 'never read' : reasonToReadNow(state, summaryHash)
    const isDue = isPostponed || (reason !== null && reason !== 'failed')
    const isNews = state !== undefined && state.summaryHash !== summaryHash
    if (isDue && choice.left > 0 && (isNews || !isPostponed)) {
      choice.request.add(id)
      choice.left--
    } else {
      if (isDue) choice.postponed++
      if (state?.readAt != null && state.missingSince === null) choice.observe.add(id)
    }
  }
  return choice
}
