import type { ApiQueries } from '../../views/api-contract.js'
import { beforeFirstPoll, type Observed } from '../../views/complete-polls.js'
import type { ReadDeps, ReadEndpoint } from './endpoint.js'
import { listEndpoints, yesterday } from './endpoints/list-endpoints.js'
import { rfqEndpoints } from './endpoints/rfq-endpoints.js'
import { type TaggedJson, toTaggedJson } from './etag.js'
import { ProblemError, type ProblemText } from './problem.js'

/** Every operation that reads, in the order of the document. */
export const READ_ENDPOINTS: readonly ReadEndpoint[] = [...listEndpoints, ...rfqEndpoints]

/** A request to read, validated. */
export interface ReadRequest {
  path: Readonly<Record<string, string>>
  query: Record<string, unknown>
  now: Date
}

export type ReadAnswer = TaggedJson | { problem: ProblemText }

/**
 * What reads the database for the API. Arguments and results are plain data and can be sent to another thread, where
 * large answers are turned into JSON too, so that no request blocks the event loop of the service.
 */
export interface ApiReader {
  /** Runs an operation of `READ_ENDPOINTS`. */
  apiRead(id: string, request: ReadRequest): Promise<ReadAnswer>
  apiFindRfq: ApiQueries['findRfq']
}

/** Creates the reader over the queries. */
export function createApiReader(deps: Omit<ReadDeps, 'now'>): ApiReader {
  return {
    async apiRead(id, { path, query, now }) {
      const endpoint = READ_ENDPOINTS.find((each) => each.id === id)
      if (endpoint === undefined) throw new RangeError(`no operation ${id}`)
      try {
        const past = pastOf(endpoint, { path, query })
        await refuseBeforeFirstPoll(past, deps.queries)
        const answer = await endpoint.handle({ path, query, deps: { ...deps, now: () => now } })
        const incomplete = await incompleteAt(past, answer, deps.queries)
        return toTaggedJson(incomplete === null ? answer : { ...Object(answer), incomplete }, momentsOf(now))
      } catch (error) {
        return { problem: problemOf(error) }
      }
    },
    apiFindRfq: (search) => deps.queries.findRfq(search),
  }
}

/** Where an answer repeats when it was asked for. */
function momentsOf(now: Date): string[] {
  const at = now.toISOString()
  return [`"asOf":"${at}"`, `"generatedAt":"${at}"`, `--as-of ${at}`, `"since":"${yesterday(now).toISOString()}"`]
}

/** The moment of `as_of`, and the polls that recorded what is answered; null for the present. */
interface Past {
  asOf: Date
  observed: Observed
}

function pastOf({ reads = 'rfqs' }: ReadEndpoint, { path, query }: Pick<ReadRequest, 'path' | 'query'>): Past | null {
  const { as_of: asOf } = query
  if (!(asOf instanceof Date)) return null
  const channel = path.org === undefined ? query.channel : `${path.org}/${path.channel}`
  return { asOf, observed: { ...(typeof channel === 'string' && { channel }), kind: reads } }
}

/** @throws ProblemError 400 for a moment before the first poll */
async function refuseBeforeFirstPoll(past: Past | null, queries: ApiQueries): Promise<void> {
  const detail = past && (await beforeFirstPoll(past.asOf, past.observed, queries.firstPollAt))
  if (detail !== null)
    throw new ProblemError(400, detail, { errors: [{ in: 'query', name: 'as_of', detail: 'before the first poll' }] })
}

/** What a list as of a moment says of the polls before it; null for other answers. */
async function incompleteAt(past: Past | null, answer: unknown, queries: ApiQueries): Promise<string[] | null> {
  if (past === null || !Object.hasOwn(Object(answer), 'items')) return null
  return queries.incompleteAt(past.observed, past.asOf)
}

/** The problem of an error of the client. Throws any other error. */
function problemOf(error: unknown): ProblemText {
  if (error instanceof ProblemError) return { status: error.statusCode, detail: error.message, more: error.more }
  const { name, message } = error as Error
  if (name === 'InvalidCursorError') return { status: 400, detail: message, more: {} }
  throw error
}
