import { hash } from 'node:crypto'
import { IdMap, isAddressable } from '../core/documents/identifier.js'
import { memberOf, membersOf, partsOf } from '../core/documents/json-text.js'
import { MAX_PROBLEMS, type Problem } from '../core/documents/lenient-parser.js'
import {
  identifierOf,
  type ListedResponse,
  type Observation,
  observe,
  type ReadDocument,
  type Rfq,
  sameText,
} from '../core/documents/observation.js'
import type { ChannelSession } from '../marketplace/contract.js'
import { ItemError, NotSentError, UnavailableError } from '../marketplace/errors.js'
import type { PollState, RfqSnapshot } from '../store/contract.js'
import { lastRequestFailed, type ResponseChoice, type StoredState } from './plan.js'

/** An RFQ with all its responses, from one read. */
export interface FetchedRfq extends RfqSnapshot {
  rfq: Observation<Rfq>
  serverDate: Date | null
}

/** How a poll reads an RFQ. */
export interface PollReadOptions {
  /** Chooses the responses to request. The others are recorded by their summaries, those to observe as unchanged. */
  choose: (listed: readonly ListedResponse[]) => ResponseChoice
  /** What is stored: a text that is the same is not parsed again. */
  stored: StoredState | undefined
  /** Request a document whose last request failed only once. */
  attemptOnce: boolean
  /** Called with the error of a failed request for a response, whose summary is used instead. */
  onUnavailable: (error: UnavailableError) => void
}

/** Requests for the responses of an RFQ that are made together; after one has failed, no other is made. */
const READ_TOGETHER = 32

/**
 * Reads one RFQ, then its responses. When it ends, no request for them is in flight or sent any more.
 * @param poll default: every document is requested with retries, and the read fails if a response is not sent
 * @throws MarketplaceError if the RFQ cannot be read, or a response for another reason than 400, 404, 410 or those that a poll accepts
 */
export async function readRfqWithResponses(
  session: ChannelSession,
  id: string,
  poll?: PollReadOptions,
): Promise<FetchedRfq> {
  const stored = poll?.stored
  const retriesAfter = (hasFailed: boolean) => (poll?.attemptOnce && hasFailed ? 0 : undefined)
  const options = { knownHash: knownHash(stored?.rfq), retries: retriesAfter(lastRequestFailed(stored?.rfq)) }
  const { value: rfq, readAt, serverDate } = await session.readRfq(id, options)
  const { summaries, responsesComplete } = readSummaries(rfq)
  const choice = poll?.choose(summaries)

  const fetch = async (summary: Summary): Promise<ReadDocument> => {
    const { id: responseId, summaryHash } = summary
    const requested = choice === undefined || choice.request.has(responseId)
    if (choice?.observe.has(responseId))
      return Object.assign(sameText(responseId, 'summary', summary.text, summaryHash), { summaryHash })
    if (!requested) return observeSummary(summary, { requested })
    const known = stored?.responses.get(responseId)
    const failedBefore = lastRequestFailed(known)
    try {
      const options = { knownHash: knownHash(known), retries: retriesAfter(failedBefore) }
      const { value } = await session.readResponse(id, responseId, options)
      return Object.assign(value, { summaryHash, requested, id: responseId })
    } catch (error) {
      const isAccepted = poll !== undefined && error instanceof UnavailableError
      if (isAccepted) poll.onUnavailable(error)
      else if (!(error instanceof ItemError)) throw error
      if (error instanceof NotSentError) return observeSummary(summary, { requested: false })
      // Once, this may be an outage, which is not a problem of the document.
      if (isAccepted && !failedBefore) return observeSummary(summary, { requested })
      const code = isAddressable(responseId) ? 'unavailable' : 'unaddressable'
      const message = `listed, but cannot be read: ${error.message}`
      return observeSummary(summary, { requested, problems: [{ path: '', code, message }] })
    }
  }

  const responses = new Map<string, ReadDocument>()
  await forEachUntilError(summaries, READ_TOGETHER, async (each) => responses.set(each.id, await fetch(each)))
  return {
    responses: summaries.map(({ id: responseId }) => responses.get(responseId) as ReadDocument),
    ...{ rfq, responsesComplete, readAt, serverDate },
  }
}

/**
 * Does work for each item, several at the same time. After an error no other item begins, and the error is thrown when those in progress
 * have ended.
 */
export async function forEachUntilError<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const errors: unknown[] = []
  const left = items.values()
  const workThrough = async () => {
    for (const item of left) {
      if (errors.length > 0) return
      await work(item).catch((error: unknown) => errors.push(error))
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, workThrough))
  if (errors.length > 0) throw errors[0]
}

/** The hash by which the text of a document that is not missing is recognized. */
const knownHash = (state: PollState | undefined): string | null =>
  state?.missingSince === null ? state.textHash : null

/** Whether the marketplace currently does not send a document that was requested. */
export const isUnavailable = (error: unknown): error is UnavailableError =>
  error instanceof UnavailableError && !(error instanceof NotSentError)

/** A response in an RFQ, with its part of the RFQ's text. */
interface Summary extends ListedResponse {
  text: string
  body: unknown
}

/** Cuts the summaries out of an RFQ. If differing ones share an id, the same one is used whatever their order, and the RFQ gets a problem. */
function readSummaries({ text, body: rfq, problems }: Observation<Rfq>): {
  summaries: Summary[]
  responsesComplete: boolean
} {
  const list = Object.fromEntries(membersOf(text)).responses ?? ''
  const isList = list.startsWith('[')
  const texts = isList ? [...partsOf(list)] : []
  const byId = new IdMap<Summary>()
  let responsesComplete = isList
  const parsed = isList ? ((memberOf(rfq, 'responses') ?? JSON.parse(list)) as unknown[]) : []
  for (const [index, each] of texts.entries()) {
    const body = parsed[index]
    const id = identifierOf(body)
    if (id === null) responsesComplete = false
    else {
      const summaryHash = hash('sha256', each)
      const earlier = byId.get(id)
      if (earlier === undefined || earlier.summaryHash < summaryHash)
        byId.set(id, { id: earlier?.id ?? id, text: each, body, summaryHash })
      if (earlier === undefined || earlier.summaryHash === summaryHash || problems.length >= MAX_PROBLEMS) continue
      const message = `another entry has the same id, ${id.slice(0, 80)}; one of them is used`
      problems.push({ path: `responses[${index}]`, code: 'duplicate', message })
    }
  }
  return { summaries: [...byId.values()], responsesComplete }
}

/** Deviations of a summary are problems of its RFQ. */
function observeSummary(
  { id, text, body, summaryHash }: Summary,
  { requested, problems = [] }: { requested: boolean; problems?: Problem[] },
): ReadDocument {
  return Object.assign(observe('summary', text, body), { summaryHash, requested, id, problems })
}
