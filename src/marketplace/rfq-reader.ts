import { hash } from 'node:crypto'
import pLimit from 'p-limit'
import { contentHash } from '../core/documents/canonical-json.js'
import { isAddressable } from '../core/documents/identifier.js'
import { membersOf, partsOf } from '../core/documents/json-text.js'
import { MAX_PROBLEMS, type Problem } from '../core/documents/lenient-parser.js'
import {
  identifierOf,
  type ListedResponse,
  type Observation,
  type ObservedResponse,
  observe,
  parseResponseSummary,
  type Rfq,
} from '../core/documents/observation.js'
import type { ChannelSession } from './contract.js'
import { ItemError, NotSentError, UnavailableError } from './errors.js'

/** An RFQ with all its responses, from one read. */
export interface FetchedRfq {
  rfq: Observation<Rfq>
  responses: ObservedResponse[]
  /** Responses that were not requested; their summaries only show that they still exist. */
  observed: ListedResponse[]
  /** False if `responses` was not an array, or an entry had no id: a response not listed may still exist. */
  responsesComplete: boolean
  /** Just before the first request was sent: all values are at least this recent. */
  readAt: Date
  serverDate: Date | null
}

/** Chooses the responses to request. Of the others, those to observe are only reported, and the rest are recorded as summaries. */
export type ChooseResponses = (listed: readonly ListedResponse[]) => {
  request: ReadonlySet<string>
  observe: ReadonlySet<string>
}

/** `textHash` of the stored RFQ and of its responses: a text with the same one is not parsed. Null: it must be parsed. */
export interface KnownDocuments {
  rfq: string | null
  response(id: string): string | null
}

/** How to treat documents that the marketplace currently does not send. */
export interface FailureOptions {
  /** Documents that are requested once, without retries, because their last request failed. */
  attemptOnce: { rfq: boolean; response(id: string): boolean }
  /** Whether the last request for a response failed: if this one fails too, the document has a problem. */
  failedBefore(id: string): boolean
  /** Called with the error of a failed request for a response, whose summary is used instead. */
  onUnavailable(error: UnavailableError): void
}

export interface ReadOptions {
  /** Chooses the responses to request; default all. */
  choose?: ChooseResponses | undefined
  known?: KnownDocuments | undefined
  /** Default: every document is requested with retries, and the read fails if a response is not sent. */
  failures?: FailureOptions | undefined
}

/** Requests for the responses of an RFQ that are made together; after one has failed, no other is made. */
const READ_TOGETHER = 32

/**
 * Reads one RFQ, then its responses. When it ends, no request for them is in flight or sent any more.
 * @throws MarketplaceError if the RFQ cannot be read, or a response for another reason than 400, 404, 410 or those that `failures` covers
 */
export async function readRfqWithResponses(
  session: ChannelSession,
  id: string,
  { choose, known, failures }: ReadOptions = {},
): Promise<FetchedRfq> {
  const retries = failures?.attemptOnce.rfq ? 0 : undefined
  const { value: rfq, readAt, serverDate } = await session.readRfq(id, { knownHash: known?.rfq, retries })
  const { summaries, responsesComplete } = readSummaries(rfq)
  const choice = choose?.(summaries)

  const fetch = async (summary: Summary): Promise<ObservedResponse> => {
    const { id: responseId, summaryHash } = summary
    const requested = choice === undefined || choice.request.has(responseId)
    if (!requested) return observeSummary(summary, { requested })
    try {
      const attemptOnce = failures?.attemptOnce.response(responseId)
      const { value } = await session.readResponse(id, responseId, {
        knownHash: known?.response(responseId),
        retries: attemptOnce ? 0 : undefined,
      })
      return { ...value, id: responseId, summaryHash, shape: 'full', requested }
    } catch (error) {
      return observeSummary(summary, { requested, problems: problemsOf(error, responseId) })
    }
  }
  const problemsOf = (error: unknown, responseId: string): Problem[] => {
    if (failures !== undefined && isUnavailable(error)) {
      failures.onUnavailable(error)
      // This may be an outage, which is not a problem of the document.
      if (!failures.failedBefore(responseId)) return []
    } else if (!(error instanceof ItemError)) throw error
    const code = isAddressable(responseId) ? 'unavailable' : 'unaddressable'
    return [{ path: '', code, message: `listed, but cannot be read: ${error.message}` }]
  }

  const isObserved = (summary: Summary) => choice?.observe.has(summary.id) ?? false
  let failure: { error: unknown } | null = null
  const limit = pLimit(READ_TOGETHER)
  const reads = summaries
    .filter((each) => !isObserved(each))
    .map((each) =>
      limit(async () => {
        if (failure) throw failure.error
        return fetch(each).catch((error: unknown) => {
          failure ??= { error }
          throw error
        })
      }),
    )
  await Promise.allSettled(reads)
  const responses = await Promise.all(reads)
  return { rfq, responses, observed: summaries.filter(isObserved), responsesComplete, readAt, serverDate }
}

/** Whether the marketplace currently does not send a document that was requested. */
export const isUnavailable = (error: unknown): error is UnavailableError =>
  error instanceof UnavailableError && !(error instanceof NotSentError)

/** A response in an RFQ, with its part of the RFQ's text. */
interface Summary extends ListedResponse {
  text: string
  body: unknown
}

/** Cuts the summaries out of an RFQ. If differing ones share an id, the last one is used, and the RFQ gets a problem. */
function readSummaries({ text, problems }: Observation<Rfq>): { summaries: Summary[]; responsesComplete: boolean } {
  const list = Object.fromEntries(membersOf(text)).responses ?? ''
  const isList = list.startsWith('[')
  const texts = isList ? [...partsOf(list)] : []
  const byId = new Map<string, Summary>()
  let responsesComplete = isList
  for (const [index, each] of texts.entries()) {
    const body: unknown = JSON.parse(each)
    const id = identifierOf(body)
    if (id === null) responsesComplete = false
    else {
      const summaryHash = contentHash('response', body)
      const earlier = byId.get(id)
      byId.set(id, { id, text: each, body, summaryHash })
      if (earlier === undefined || earlier.summaryHash === summaryHash || problems.length >= MAX_PROBLEMS) continue
      const message = `another entry has the same id, ${id.slice(0, 80)}; this later entry is used`
      problems.push({ path: `responses[${index}]`, code: 'duplicate', message })
    }
  }
  return { summaries: [...byId.values()], responsesComplete }
}

/** Deviations of a summary are problems of its RFQ. */
function observeSummary(
  { id, text, body, summaryHash }: Summary,
  { requested, problems = [] }: { requested: boolean; problems?: Problem[] },
): ObservedResponse {
  const observation = observe({ text, textHash: hash('sha256', text), body }, 'response', parseResponseSummary)
  return { ...observation, id, summaryHash, requested, problems, shape: 'summary' }
}
