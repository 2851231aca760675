import type { ListedResponse } from '../../core/documents/observation.js'
import { ageOf } from '../../core/time/clock.js'
import type { ResponsePollState, RfqPollState } from '../../store/contract.js'
import type { StoredResponses } from '../stored-responses.js'
import type { ListedRfq, PlannedRfq, ReadReason } from './request-plan-model.js'

/** Whether an RFQ was read after its list entry took its current content, which the hash identifies. */
export const isEntryRead = (state: RfqPollState, hash: string): boolean => state.isEntryRead && state.entryHash === hash

interface ReadRules {
  /** Read every RFQ. */
  full: boolean
  /** Hours after which a closed RFQ is read again. */
  recheckClosedHours: number
  now: Date
}

/**
 * Why an RFQ must be read again: it is not closed, its list entry changed, the stored RFQ is incomplete, it was missing, or its last
 * read is older than `recheckClosedHours` or of unknown age.
 * @returns the reason, or null if the stored RFQ is still current
 */
export function reasonToRead(listed: ListedRfq, known: RfqPollState | undefined, rules: ReadRules): string | null {
  if (rules.full) return 'full poll'
  if (!known) return 'new'
  if (listed.state !== 'closed') return 'open'
  if (known.state !== 'closed') return 'newly closed'
  if (!isEntryRead(known, listed.hash)) return 'changed'
  if (known.detailReadAt === null || known.incomplete) return 'incomplete'
  if (known.missingSince !== null) return 'returned'
  return ageOf(known.detailReadAt, rules.now) >= rules.recheckClosedHours * 3_600_000 ? 'recheck' : null
}

/** Whether the last request for a document failed. A successful one has the same time as the read, whatever the clocks say. */
export const lastRequestFailed = (state: Pick<ResponsePollState, 'readAt' | 'requestedAt'> | undefined): boolean =>
  state !== undefined && state.requestedAt !== null && state.requestedAt !== state.readAt

/** Why a stored response must be read whatever its age, given its current summary; null if it need not be. */
export function reasonToReadNow(state: ResponsePollState, summaryHash: string | null): ReadReason | null {
  const { readAt, requestedAt, missingSince } = state
  if (readAt === null && requestedAt === null) return 'never read'
  if (missingSince !== null) return 'changed'
  if (lastRequestFailed(state)) return summaryHash === state.summaryHash ? 'failed' : 'summary changed'
  return summaryHash === null || summaryHash !== state.readSummaryHash ? 'summary changed' : null
}

/** Which responses of an RFQ are requested, and of which only the summary is recorded. */
export interface ResponseChoice {
  request: Set<string>
  /** Not requested, because it is stored in full: its summary shows only that it still exists. */
  observe: Set<string>
  /** Responses that exceed the request budget. */
  postponed: number
  /** Requests left in the budget. */
  left: number
}

/**
 * Chooses the responses to request, once the RFQ has been read: those of the plan, and those whose summaries are new or have
 * changed since the plan was made, while requests are left.
 */
export function chooseResponses(
  listed: readonly ListedResponse[],
  { responses, postponed }: Pick<PlannedRfq, 'responses' | 'postponed'>,
  stored?: StoredResponses,
  left = 0,
): ResponseChoice {
  const choice: ResponseChoice = { request: new Set(), observe: new Set(), postponed: 0, left: left + responses.size }
  for (const { id } of listed) if (responses.has(id)) choice.request.add(id)
  choice.left -= choice.request.size
  for (const { id, summaryHash } of listed) {
    if (choice.request.has(id)) continue
    const state = stored?.get(id)
    const isPostponed = postponed.has(id)
    const reason = state === undefined ? 'never read' : reasonToReadNow(state, summaryHash)
    const isDue = isPostponed || (reason !== null && reason !== 'failed')
    const hasNewSummary = state !== undefined && state.summaryHash !== summaryHash
    if (isDue && choice.left > 0 && (hasNewSummary || !isPostponed)) {
      choice.request.add(id)
      choice.left--
    } else {
      if (isDue) choice.postponed++
      if (state?.readAt != null && state.missingSince === null) choice.observe.add(id)
    }
  }
  return choice
}
