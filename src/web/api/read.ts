import type { ViewConfig } from '../../tables/source.js'
import type { Views } from '../../tables/views.js'
import { knownChannel, stateOf } from './lookup.js'
import { parseValues, type ReadOperation } from './operation.js'
import { LIST_OPERATIONS } from './operations/list-operations.js'
import { RFQ_OPERATIONS } from './operations/rfq-operations.js'
import { type ProblemDocument, problemOf } from './problem.js'

/** Every operation that reads, in the order of the document. */
export const READ_OPERATIONS: readonly ReadOperation[] = [...RFQ_OPERATIONS, ...LIST_OPERATIONS]

/** A request to read, as it was sent. */
interface ReadRequest {
  path: Readonly<Record<string, string>>
  query: Readonly<Record<string, unknown>>
  now: Date
}

/** JSON, or why there is none. */
type ReadAnswer = { json: string } | { problem: ProblemDocument }

/**
 * What reads the database for the API and for assistants. Arguments and results are plain data and can be sent to another thread,
 * where large answers are turned into JSON too, so that no request blocks the event loop of the service.
 */
export interface ApiReader extends Pick<Views, 'findRfq' | 'firstPollAt'> {
  /** Runs an operation by its id. */
  apiRead(id: string, request: ReadRequest): Promise<ReadAnswer>
}

/** Creates the reader over the views. */
export function createApiReader(
  views: Views,
  { channels: configured, reports: { settings } }: Pick<ViewConfig, 'channels' | 'reports'>,
): ApiReader {
  const channels = configured.map(({ key }) => key)

  async function answer(operation: ReadOperation, { path, query: values, now }: ReadRequest): Promise<unknown> {
    const query = parseValues(operation.query, values, 'query')
    const call = { path, query, at: { now }, channel: '', views, channels, settings }
    if (path.org === undefined) return operation.handle(call)
    const channel = knownChannel(`${path.org}/${path.channel}`, channels)
    const at = await stateOf({ as_of: query.as_of as string | undefined, channel }, { now, reader: views })
    return operation.handle({ ...call, channel, at })
  }

  return {
    async apiRead(id, request) {
      const operation = READ_OPERATIONS.find((each) => each.id === id)
      if (operation === undefined) throw new RangeError(`no operation ${id}`)
      try {
        return { json: `${JSON.stringify(await answer(operation, request))}\n` }
      } catch (error) {
        const problem = problemOf(error)
        if (problem === null) throw error
        return { problem }
      }
    },
    findRfq: (search) => views.findRfq(search),
    firstPollAt: (filter) => views.firstPollAt(filter),
  }
}
