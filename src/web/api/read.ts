import { z } from 'zod'
import { beforeFirstPoll, type Observed } from '../../tables/polls.js'
import type { Views } from '../../tables/views.js'
import type { ReadDeps, ReadEndpoint } from './endpoint.js'
import { listEndpoints } from './endpoints/list-endpoints.js'
import { momentOf } from './endpoints/request.js'
import { rfqEndpoints } from './endpoints/rfq-endpoints.js'
import { ProblemError, type ProblemText } from './problem.js'

/** Every operation that reads, in the order of the document. */
export const READ_ENDPOINTS: readonly ReadEndpoint[] = [...listEndpoints, ...rfqEndpoints]

/** A request to read, validated. */
export interface ReadRequest {
  path: Readonly<Record<string, string>>
  query: Record<string, unknown>
  now: Date
}

/** JSON, made where it blocks no event loop, or why there is none. */
export type ReadAnswer = { json: string } | { problem: ProblemText }

/**
 * What reads the database for the API. Arguments and results are plain data and can be sent to another thread, where
 * large answers are turned into JSON too, so that no request blocks the event loop of the service.
 */
export interface ApiReader extends Pick<Views, 'findRfq' | 'firstPollAt'> {
  /** Runs an operation of `READ_ENDPOINTS`. */
  apiRead(id: string, request: ReadRequest): Promise<ReadAnswer>
}

/** Creates the reader over the views. */
export function createApiReader(deps: ReadDeps): ApiReader {
  const { views } = deps
  return {
    async apiRead(id, { path, query, now }) {
      const endpoint = READ_ENDPOINTS.find((each) => each.id === id)
      if (endpoint === undefined) throw new RangeError(`no operation ${id}`)
      try {
        const at = momentOf({ query, now })
        const past = at.asOf && { asOf: at.asOf, observed: observedBy(endpoint, { path, query }) }
        if (past !== undefined) await refuseBeforeFirstPoll(past, views)
        const answer = await endpoint.handle({ path, query, at, deps })
        const incomplete = past !== undefined &&
          hasIncomplete(endpoint) && { incomplete: await views.incompleteAt(past.observed, past.asOf) }
        return { json: `${JSON.stringify(incomplete ? { ...Object(answer), ...incomplete } : answer)}\n` }
      } catch (error) {
        return { problem: problemOf(error) }
      }
    },
    findRfq: (search) => views.findRfq(search),
    firstPollAt: (filter) => views.firstPollAt(filter),
  }
}

/** Whether answers about a past moment name the channels without a complete poll by then. */
const hasIncomplete = ({ result }: ReadEndpoint): boolean =>
  result instanceof z.ZodObject && Object.hasOwn(result.shape, 'incomplete')

/** The polls that recorded what is answered. */
function observedBy({ reads = 'rfqs' }: ReadEndpoint, { path, query }: Pick<ReadRequest, 'path' | 'query'>): Observed {
  const channel = path.org === undefined ? query.channel : `${path.org}/${path.channel}`
  return { ...(typeof channel === 'string' && { channel }), kind: reads }
}

/** @throws ProblemError 400 for a moment before the first poll */
async function refuseBeforeFirstPoll({ asOf, observed }: { asOf: Date; observed: Observed }, views: Views) {
  const detail = await beforeFirstPoll(asOf, observed, views.firstPollAt)
  if (detail !== null)
    throw new ProblemError(400, detail, { errors: [{ in: 'query', name: 'as_of', detail: 'before the first poll' }] })
}

/** The problem of an error of the client. Throws any other error. */
function problemOf(error: unknown): ProblemText {
  if (error instanceof ProblemError) return { status: error.statusCode, detail: error.message, more: error.more }
  const { name, message } = error as Error
  if (name === 'InvalidCursorError') return { status: 400, detail: message, more: {} }
  throw error
}
