import { contentHash } from '../core/documents/canonical-json.js'
import { isAddressable } from '../core/documents/identifier.js'
import type { Problem } from '../core/documents/lenient-parser.js'
import {
  type Observation,
  parseResponseSummary,
  type Rfq,
  type RfqResponse,
  StoredObservation,
} from '../core/documents/observation.js'
import type { ParsedText } from './body/json-body.js'
import { SummaryTexts, summaryHash, uniqueResponseEntries } from './body/response-summaries.js'
import type { ChannelSession, ItemReadOptions } from './contract.js'
import { AbortedError, ItemError, NotSentError, UnavailableError } from './errors.js'
import { CancelToken } from './http/cancel-token.js'

/** An RFQ with all its responses, from one read. */
export interface FetchedRfq {
  rfq: Observation<Rfq>
  responses: FetchedResponse[]
  /** Responses that were not requested; their summaries only show that they still exist. */
  observed: ListedResponse[]
  /** False if `responses` was not an array, or an entry had no id: a response not listed may still exist. */
  responsesComplete: boolean
  /** Just before the first request was sent: all values are at least this recent. */
  readAt: Date
  serverDate: Date | null
}
export interface FetchedResponse {
  id: string
  body: unknown
  /** The body without what parsing loses; absent if it loses nothing. */
  exactBody?: unknown
  /** The text as received; of a summary, its part of the RFQ's text. */
  text: string | null
  valid: boolean
  problems: Problem[]
  /** Fingerprint of the bytes as received; null if unknown, and for a summary. */
  fingerprint: string | null
  /** The content hash, if it was calculated. */
  hash?: string
  /** Parsing the text is known to lose nothing. */
  losesNothing?: boolean
  /** `summary` if the response was not requested, or its request failed. */
  shape: 'full' | 'summary'
  /** Hash of its summary; null if unknown. */
  summaryHash: string | null
  /** As parsed; absent if it was not parsed. */
  submittedAt?: string | null
  /** False if it was not requested. */
  requested: boolean
}

/** A response in the summaries of an RFQ. */
export interface ListedResponse {
  id: string
  /** Hash of its summary; null if unknown. */
  summaryHash: string | null
}

/** Chooses the responses to request. Of the others, those to observe are only reported, and the rest are recorded as summaries. */
export type ChooseResponses = (listed: readonly ListedResponse[]) => {
  request: ReadonlySet<string>
  observe: ReadonlySet<string>
}

/**
 * Fingerprints of the stored RFQ and its responses. A document with the same fingerprint is parsed only when its content is needed; its
 * summary is not hashed.
 */
export interface KnownDocuments {
  /** The fingerprint of the RFQ; null if it must be parsed. */
  rfq: string | null
  /** A response that the RFQ listed when it was stored. */
  response(id: string): KnownResponse | undefined
}
export interface KnownResponse {
  fingerprint: string | null
  /** Hash of its summary as stored with the RFQ; null if unknown. */
  summaryHash: string | null
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

/**
 * Reads one RFQ, then its responses. If it fails, no request for them is in flight or sent any more.
 * @throws MarketplaceError if the RFQ cannot be read, or a response for another reason than 400, 404, 410 or those that `failures` covers
 */
export async function readRfqWithResponses(
  session: ChannelSession,
  id: string,
  { choose, known, failures }: ReadOptions = {},
): Promise<FetchedRfq> {
  const retries = failures?.attemptOnce.rfq ? 0 : undefined
  const { value: rfq, readAt, serverDate } = await session.readRfq(id, { fingerprint: known?.rfq, retries })
  const { entries, complete, duplicates } = uniqueResponseEntries(rfq)
  const summaries = new SummaryTexts(rfq)
  // The RFQ is unchanged, so the hashes of its summaries are too.
  const hashes = rfq instanceof StoredObservation ? known : undefined
  const listed = entries.map(([entryId, { index }]) => {
    const hash = hashes?.response(entryId)?.summaryHash ?? summaryHash(rfq, index)
    return { id: entryId, summaryHash: hash, index }
  })
  const choice = choose?.(listed)
  const cancelToken = new CancelToken({ parent: session.cancelToken })
  const fetch = async ({ id: responseId, summaryHash, index }: ListedEntry): Promise<FetchedResponse> => {
    const requested = choice === undefined || choice.request.has(responseId)
    const summary = () => summaries.at(index)
    let content: ResponseContent
    if (requested) {
      const fingerprint = known?.response(responseId)?.fingerprint
      const attemptOnce = failures?.attemptOnce.response(responseId)
      const options = { fingerprint, retries: attemptOnce ? 0 : undefined, cancelToken }
      content = await fetchResponse(session, { rfqId: id, id: responseId, options, failures }, summary)
    } else content = await parseSummary(summary)
    // Not a copy, which would parse a document that is not parsed yet.
    return Object.assign(content, { id: responseId, summaryHash, requested })
  }
  const responses = await allOrCancel(listed.filter((each) => !choice?.observe.has(each.id)).map(fetch), cancelToken)
  const problems = duplicates.length > 0 ? [...rfq.problems, ...duplicates] : rfq.problems
  return {
    rfq: Object.assign(rfq, { problems }),
    responses,
    observed: listed
      .filter((each) => choice?.observe.has(each.id))
      .map(({ id: responseId, summaryHash }) => ({ id: responseId, summaryHash })),
    responsesComplete: complete,
    readAt,
    serverDate,
  }
}

/** The results of all reads. If one fails, the others are cancelled, and its error is thrown once they have ended. */
async function allOrCancel<T>(reads: readonly Promise<T>[], cancelToken: CancelToken): Promise<T[]> {
  try {
    return await Promise.all(reads)
  } catch (error) {
    cancelToken.cancel(new AbortedError('Another response of the RFQ could not be read'))
    await Promise.allSettled(reads)
    throw error
  }
}

/** A response in the summaries of an RFQ, with its index there. */
interface ListedEntry extends ListedResponse {
  index: number
}

interface ResponseRequest {
  rfqId: string
  id: string
  options: ItemReadOptions
  failures: FailureOptions | undefined
}

async function fetchResponse(
  session: ChannelSession,
  { rfqId, id, options, failures }: ResponseRequest,
  summaryOf: () => Promise<ParsedText>,
): Promise<ResponseContent> {
  try {
    const { value } = await session.readResponse(rfqId, id, options)
    if (value instanceof StoredObservation) return Object.assign(value, { shape: 'full' as const })
    const { body, exactBody, text, valid, problems, fingerprint = null } = value
    if (text !== null && exactBody === body) return new ResponseText(text, value)
    return { body, exactBody, text, valid, problems, fingerprint, shape: 'full' }
  } catch (error) {
    if (failures !== undefined && isUnavailable(error)) {
      failures.onUnavailable(error)
      // This may be an outage, which is not a problem of the document.
      if (!failures.failedBefore(id)) return parseSummary(summaryOf)
    } else if (!(error instanceof ItemError)) throw error
    const code = isAddressable(id) ? 'unavailable' : 'unaddressable'
    const problem: Problem = { path: '', code, message: `listed, but cannot be read: ${error.message}` }
    const summary = await parseSummary(summaryOf)
    return { ...summary, problems: [problem, ...summary.problems] }
  }
}

/** Whether the marketplace currently does not send a document that was requested. */
export const isUnavailable = (error: unknown): error is UnavailableError =>
  error instanceof UnavailableError && !(error instanceof NotSentError)

type ResponseContent = Omit<FetchedResponse, 'id' | 'summaryHash' | 'requested'>

/**
 * A response of which only the text is kept until its RFQ is recorded, because the parsed body takes several times as much memory and only
 * events need it again. `submittedAt` decides which event.
 */
class ResponseText implements ResponseContent {
  readonly shape = 'full'
  readonly losesNothing = true
  readonly hash: string
  readonly valid: boolean
  readonly problems: Problem[]
  readonly fingerprint: string | null
  readonly submittedAt: string | null

  /** @param parsed the response; parsing the text loses nothing */
  constructor(
    readonly text: string,
    { body, document, valid, problems, fingerprint = null }: Observation<RfqResponse>,
  ) {
    this.hash = contentHash('response', body)
    this.valid = valid
    this.problems = problems
    this.fingerprint = fingerprint
    this.submittedAt = document?.submittedAt ?? null
  }

  get body(): unknown {
    return JSON.parse(this.text)
  }
}

async function parseSummary(summaryOf: () => Promise<ParsedText>): Promise<ResponseContent> {
  const { value, received } = await summaryOf()
  const { body, exactBody, text, valid, problems: found } = parseResponseSummary(value, received)
  // Other deviations of a summary are those of its RFQ.
  const problems = found.filter(({ code }) => code === 'duplicate-key' || code === 'precision')
  return { body, exactBody, text, valid, problems, fingerprint: null, shape: 'summary' }
}
